/**
 * Reads what a terminal sends, and merges keys of one read. Only raw mode reads it, so that an editor or
 * a pager gets its own keys.
 */

import type { InputEvent } from "../keys.ts";
import { Decoder, type TerminalEvent } from "./decode.ts";

/** How long the rest of a sequence may take, in milliseconds, before Escape counts as a key. */
const escapeMs = 30;

/** Bracketed paste, focus reports, and the kitty protocol's unambiguous Escape and modifiers. */
const reportsOn = "\x1b[?2004h\x1b[?1004h\x1b[>1u";
const reportsOff = "\x1b[<u\x1b[?1004l\x1b[?2004l";

/** Buttons, the wheel, and moves while a button is down. */
const mouseOn = "\x1b[?1002h\x1b[?1006h";
const mouseOff = "\x1b[?1006l\x1b[?1002l";

type TerminalInputOptions = {
  stdin: NodeJS.ReadStream;
  write(code: string): void;
  take(events: InputEvent[]): void;
  focus(focused: boolean): void;
  answered?(): void;
  ended(): void;
};

export function terminalInput(options: TerminalInputOptions) {
  const { stdin, write, take, focus, answered, ended } = options;
  const utf8 = new TextDecoder();
  const decoder = new Decoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let mouse = false;
  let reports = false;
  let isStopped = false;

  const report = (events: readonly TerminalEvent[]): void => {
    for (const event of events) {
      if (event.type === "focus") focus(event.focused);
      else if (event.type === "status") answered?.();
    }
    take(events.filter((event) => event.type !== "focus" && event.type !== "status"));
  };
  const onData = (bytes: Uint8Array): void => {
    clearTimeout(timer);
    report(decoder.push(utf8.decode(bytes, { stream: true })));
    if (decoder.isWaiting) timer = setTimeout(() => report(decoder.flush()), escapeMs);
  };
  const listen = (on: boolean): void => {
    stdin.off("data", onData).off("end", ended).off("error", ended);
    if (on) stdin.on("data", onData).on("end", ended).on("error", ended).resume();
    else stdin.pause();
  };
  /** Switches pastes, focus and modifiers on or off. Only for the alternate screen. */
  const setReports = (on: boolean): void => {
    if (reports === on || isStopped) return;
    reports = on;
    write(on ? reportsOn + (mouse ? mouseOn : "") : (mouse ? mouseOff : "") + reportsOff);
  };
  return {
    setReports,
    setRawMode(on: boolean): void {
      stdin.setRawMode(on);
      listen(on);
      if (on) stdin.ref();
      else stdin.unref();
    },
    setMouse(on: boolean): void {
      if (mouse !== on && reports) write(on ? mouseOn : mouseOff);
      mouse = on;
    },
    stop(): void {
      clearTimeout(timer);
      setReports(false);
      isStopped = true;
      listen(false);
    },
  };
}
