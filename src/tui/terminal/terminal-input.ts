/**
 * The terminal's input, read by ourselves: Ink knows no function keys, no mouse and no focus, and
 * makes one key of many. Ink is given an input that never says anything; through it Ink tells when
 * the terminal shall be raw, and only then it is read: an editor or a pager must get its keys.
 */

import { PassThrough } from "node:stream";
import type { InputEvent } from "../keys.ts";
import { Decoder, type TerminalEvent } from "./decode.ts";
import { mouseOff, mouseOn } from "./mouse.ts";

/** So long may the rest of a sequence take; then an Escape was the key. */
const escapeMs = 30;

/** Bracketed paste, reports of focus, and the kitty protocol's unambiguous Escape and modifiers. */
const reportsOn = "\x1b[?2004h\x1b[?1004h\x1b[>1u";
const reportsOff = "\x1b[<u\x1b[?1004l\x1b[?2004l";

export type TerminalInput = NodeJS.ReadableStream & {
  /** Raw: every key is read as it is pressed. */
  setRawMode(on: boolean): void;
  /** What the terminal reports beside letters, on or off. Belongs to the alternate screen. */
  setReports(on: boolean): void;
  /** Reports of the mouse on or off. */
  setMouse(on: boolean): void;
  /** For good: no reports, no reading. */
  stop(): void;
};

type TerminalInputOptions = {
  stdin: NodeJS.ReadStream;
  write(code: string): void;
  take(events: InputEvent[]): void;
  /** The terminal's window came to the front, or left it. */
  focus(focused: boolean): void;
  /** The terminal is gone. */
  ended(): void;
};

export function terminalInput({
  stdin,
  write,
  take,
  focus,
  ended,
}: TerminalInputOptions): TerminalInput {
  const utf8 = new TextDecoder();
  const decoder = new Decoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let mouse = false;
  let reports = false;
  let isStopped = false;

  const report = (events: readonly TerminalEvent[]): void => {
    take(events.filter((event) => event.type !== "focus"));
    for (const event of events) if (event.type === "focus") focus(event.focused);
  };
  const onData = (bytes: Uint8Array): void => {
    clearTimeout(timer);
    report(decoder.push(utf8.decode(bytes, { stream: true })));
    if (decoder.isWaiting) timer = setTimeout(() => report(decoder.flush()), escapeMs);
  };
  const listen = (on: boolean): void => {
    stdin.off("data", onData);
    stdin.off("end", ended);
    stdin.off("error", ended);
    if (!on) return void stdin.pause();
    stdin.on("data", onData);
    stdin.on("end", ended);
    stdin.on("error", ended);
    stdin.resume();
  };
  const setReports = (on: boolean): void => {
    if (reports === on || isStopped) return;
    reports = on;
    write(on ? reportsOn + (mouse ? mouseOn : "") : (mouse ? mouseOff : "") + reportsOff);
  };
  return Object.assign(new PassThrough(), {
    setReports,
    isTTY: stdin.isTTY,
    setRawMode(on: boolean) {
      stdin.setRawMode(on);
      listen(on);
    },
    setMouse(on: boolean) {
      if (mouse !== on && reports) write(on ? mouseOn : mouseOff);
      mouse = on;
    },
    ref: () => void stdin.ref(),
    unref: () => void stdin.unref(),
    stop() {
      clearTimeout(timer);
      setReports(false);
      isStopped = true;
      listen(false);
    },
  });
}
