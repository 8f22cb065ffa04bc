/**
 * Decodes terminal input into keys, pastes, mouse reports and focus changes. A read may hold many of
 * them, or part of one. Supports the sequences of xterm, rxvt and the Linux console, the kitty protocol,
 * modifyOtherKeys, bracketed paste and SGR mouse. Other complete sequences (such as replies of the
 * terminal) are ignored, so that they are not typed into the prompt.
 */

import { type InputEvent, press, typed } from "../keys.ts";
import { byPlace } from "./layouts.ts";
import {
  byConsoleLetter,
  byLetter,
  readBackground,
  sequenceEvents,
  type TerminalEvent,
} from "./sequences.ts";

export type { TerminalEvent } from "./sequences.ts";

const pasteStart = "200~";
const pasteEnd = "\x1b[201~";

/** More letters in one read than anyone types: an unmarked paste. */
const unmarkedPasteChars = 1_000;

/** Nor a line after another one; without words, or with other keys among them, these are keys. */
const onlyText = /^(?:\P{Cc}|[\t\r\n])*$/u;
const severalLines = (run: string): boolean =>
  /\S[^\S\r\n]*[\r\n]+[^\r\n]/.test(run) && /\P{Cc}{3}/u.test(run) && onlyText.test(run);

// eslint-disable-next-line no-control-regex -- parameters, intermediates and the final byte
const csi = /^\x1b\[([0-?]*)[ -/]*([@-~])/;

// eslint-disable-next-line no-control-regex -- replies of the terminal, with their ends
const reply = /^\x1b[\]P_^X][^\x00-\x1f\x9c]*(?:\x07|\x1b\\|\x9c)/;

// eslint-disable-next-line no-control-regex -- a reply without its end
const openReply = /^\x1b(?:\][\dlL]|P[\d>!+$]|_G)[^\x00-\x1f\x9c]*/;

const unfinished =
  // eslint-disable-next-line no-control-regex -- a sequence that may be incomplete
  /^\x1b(?:\x1b?(?:\[[0-?]*[ -/]*|\[\[|O)?|\[M[^]{0,2}|[\]P_^X]|(?:\][\dlL]|P[\d>!+$]|_G)[^\x00-\x1f\x9c]*\x1b?)$/;

/** A mouse report of three characters that are not text, where there is no other form. */
const oldMouse = "\x1b[M";

/** Keys in themselves unless more follows: Escape, and Alt with a character that starts sequences. */
// eslint-disable-next-line no-control-regex -- Escape
const loneKey = /^\x1b(?:\x1b|[[O\]P_^X])?$/;

/** The rest of a sequence whose start was reported as a key. */
// eslint-disable-next-line no-control-regex -- Escape
const lateSequence = /^\x1b(?:\[[0-?]|\[[A-IOZ]|\][\dlL]|P[\d>!+$]|_G)/;

/** A reply, a report or the end of a paste whose beginning was dropped. */
const lateEnd =
  // eslint-disable-next-line no-control-regex -- Escape
  /^\x1b(?:[\]P_][^\x00-\x1f\x9c]*(?:\x07|\x1b\\|\x9c)|\[[<>?][0-?]*[ -/]*[@-~]|\[0n|\[201~)/;

/** How long the rest of a sequence may take, in milliseconds, before Escape counts as a key. */
const escapeMs = 30;

/** How long after such a key its rest, or the rest of a paste, is still recognized. */
const lateMs = 500;

/** Pause after which no end is expected: a paste is passed on as it is, an incomplete reply is dropped. */
const silentMs = 1_000;

export class Decoder {
  #rest = "";
  /** Characters of the rest that were already reported as a key. */
  #reported = 0;
  /** An incomplete sequence, reported as a key or dropped, whose rest may still come. */
  #late = "";
  #paste: string[] | null = null;
  /** A paste ended by silence may go on. */
  #isTorn = false;

  /** Call `flush` if nothing follows for this long; null: no need. */
  get waitMs(): number | null {
    if (this.#paste) return silentMs;
    if (this.#reported > 0) return lateMs;
    if (loneKey.test(this.#rest)) return escapeMs;
    if (this.#rest !== "" || this.#isTorn) return silentMs;
    return this.#late === "" ? null : lateMs;
  }

  push(text: string): TerminalEvent[] {
    if (this.#paste && isInterrupt(text)) return this.#endPaste();
    if (text.length === 1) this.#isTorn = false;
    const events: TerminalEvent[] = [];
    let left = this.#late === "" ? this.#rest + text : this.#joinLate(text);
    const held = this.#reported;
    this.#rest = "";
    while (left !== "") {
      if (this.#paste) left = this.#takePaste(this.#paste, left, events);
      else if (!left.startsWith("\x1b")) left = this.#takeText(left, events);
      else if (unfinished.test(left)) {
        this.#rest = left;
        if (!loneKey.test(left)) this.#reported = 0;
        return events;
      } else if (this.#reported > 0 && !lateSequence.test(left)) {
        left = left.slice(held);
        this.#reported = 0;
      } else left = this.#takeSequence(left, events);
    }
    this.#reported = 0;
    return events;
  }

  /** Nothing followed: what waits is a complete key, or has lost its end. */
  flush(): TerminalEvent[] {
    if (this.#paste) return this.#endPaste();
    const rest = this.#rest;
    const reported = this.#reported;
    this.#rest = "";
    this.#reported = 0;
    this.#late = "";
    this.#isTorn = false;
    if (rest === "") return [];
    if (reported > 0) return typed(rest.slice(reported));
    if (rest === "\x1b\x1b") return [press("escape", ""), press("escape", "")];
    if (rest !== "\x1bO") this.#late = rest;
    if (!loneKey.test(rest)) return [];
    const [, second] = rest;
    return [press(second === undefined ? "escape" : `alt+${second}`, "")];
  }

  /** The text, after the beginning of its sequence if that was given up too early. */
  #joinLate(text: string): string {
    const late = this.#late;
    this.#late = "";
    const whole = late + text;
    if (late === "\x1b" && (text === "[" || text === "]")) this.#reported = 1;
    const continuation = loneKey.test(late) ? lateSequence : lateEnd;
    return this.#reported > 0 || continuation.test(whole) ? whole : text;
  }

  /** Ends a paste whose end marker did not come. */
  #endPaste(): TerminalEvent[] {
    const text = (this.#paste ?? []).join("");
    this.#late = this.#rest;
    this.#rest = "";
    this.#paste = null;
    this.#isTorn = true;
    return text === "" ? [] : [{ type: "paste", text }];
  }

  #takeText(text: string, events: TerminalEvent[]): string {
    const end = text.indexOf("\x1b");
    const run = end === -1 ? text : text.slice(0, end);
    const isLong = run.length >= unmarkedPasteChars;
    if (isLong) this.#isTorn = true;
    if (run.length > 1 && (this.#isTorn || severalLines(run)))
      events.push({ type: "paste", text: run });
    else for (const key of typed(run)) events.push(key);
    return text.slice(run.length);
  }

  /** Takes text up to the end marker, which may be split over reads; scans only new text. */
  #takePaste(pieces: string[], text: string, events: TerminalEvent[]): string {
    const end = text.indexOf(pasteEnd);
    if (end === -1) {
      const tornAt = text.lastIndexOf("\x1b");
      const isTorn = tornAt !== -1 && pasteEnd.startsWith(text.slice(tornAt));
      pieces.push(isTorn ? text.slice(0, tornAt) : text);
      this.#rest = isTorn ? text.slice(tornAt) : "";
      return "";
    }
    this.#paste = null;
    events.push({ type: "paste", text: [...pieces, text.slice(0, end)].join("") });
    return text.slice(end + pasteEnd.length);
  }

  #takeSequence(text: string, events: TerminalEvent[]): string {
    const answered = reply.exec(text)?.[0];
    if (answered !== undefined) {
      const isLight = readBackground(answered);
      if (isLight !== null) events.push({ type: "background", isLight });
      return text.slice(answered.length);
    }
    const [broken = ""] = openReply.exec(text) ?? [];
    if (broken !== "") return text.slice(broken.length);
    if (text.startsWith(oldMouse)) return text.slice(oldMouse.length + 3);
    if (text.startsWith("\x1b[[")) {
      const name = byConsoleLetter.get(text[3] ?? "");
      if (name !== undefined) events.push(press(name, ""));
      return text.slice(4);
    }
    const [whole, parameters = "", final = ""] = csi.exec(text) ?? [];
    if (whole !== undefined) {
      if (parameters + final === pasteStart) this.#paste = [];
      else if (whole === pasteEnd) this.#isTorn = false;
      else events.push(...sequenceEvents(parameters, final));
      return text.slice(whole.length);
    }
    // A sequence cut off by the next one.
    if (text.startsWith("\x1b["))
      return text.slice(text.indexOf("\x1b", 1) > 0 ? text.indexOf("\x1b", 1) : 2);
    if (text[1] === "O") {
      const name = byLetter.get(text[2] ?? "");
      if (name !== undefined) events.push(press(name, ""));
      return text.slice(3);
    }
    return takeWithAlt(text, events);
  }
}

/** A read that is Ctrl-C and nothing else. */
function isInterrupt(text: string): boolean {
  if (text === "\x03") return true;
  if (!text.startsWith("\x1b[") || text.startsWith(pasteEnd)) return false;
  const [event, ...more] = new Decoder().push(text);
  return more.length === 0 && event?.type === "key" && event.chord === "ctrl+c";
}

/** Escape before a key or a sequence is that key with Alt. */
function takeWithAlt(text: string, events: TerminalEvent[]): string {
  const inner = new Decoder();
  const second = text.codePointAt(1) ?? 0;
  if (second === 0x1b) {
    const sequence = csi.exec(text.slice(1))?.[0] ?? text.slice(1, 4);
    const [key] = inner.push(sequence);
    if (key?.type === "key") {
      events.push(press(`alt+${key.chord}`, ""));
      return text.slice(1 + sequence.length);
    }
    // A report of the terminal came right after the Escape key.
    events.push(press("escape", ""));
    return text.slice(1);
  }
  const character = String.fromCodePoint(second);
  // No binding uses Ctrl and Alt together: this is Escape and then a key, in one read.
  // eslint-disable-next-line no-control-regex -- matches control characters
  if (/[^\P{Cc}\r\n\t\b\x7f]/u.test(character)) {
    events.push(press("escape", ""));
    return text.slice(1);
  }
  const [key] = typed(byPlace(character));
  if (key) events.push(press(`alt+${key.chord === " " ? "space" : key.chord}`, ""));
  return text.slice(1 + character.length);
}

/**
 * Bracketed paste, focus reports, and modifiers with every key: the kitty protocol (unambiguous keys, and
 * their place on the keyboard), and modifyOtherKeys for what speaks only that, such as tmux.
 */
const reportsOn = "\x1b[?2004h\x1b[?1004h\x1b[>4;2m\x1b[>5u";
const reportsOff = "\x1b[<u\x1b[>4;0m\x1b[?1004l\x1b[?2004l";

/** While its answer may still be coming, Escape is more likely the answer's first byte. */
const answerMs = 2_000;
const answerEscapeMs = 200;

/**
 * Asks for the color of the background (OSC 11); terminals that cannot tell stay silent. Before the
 * first frame: the answer is then in before that to the status request of the frame.
 */
export const backgroundRequest = "\x1b]11;?\x1b\\";

/** Buttons, the wheel, and moves while a button is down. */
const mouseOn = "\x1b[?1002h\x1b[?1006h";
const mouseOff = "\x1b[?1006l\x1b[?1002l";

/** The part of a terminal's `ReadStream` that other streams lack. */
type Keyboard = { setRawMode(on: boolean): void; ref(): void; unref(): void };

type TerminalInputOptions = {
  stdin: NodeJS.ReadableStream & Keyboard;
  write(code: string): void;
  take(events: InputEvent[]): void;
  focus(focused: boolean): void;
  answered?(): void;
  /** The answer to `backgroundRequest`, if it ever comes. */
  background?(isLight: boolean): void;
  ended(): void;
};

/** More turns of the event loop than Bun takes to read what was typed before raw mode. */
const turnsToRead = 5;

/** Resolves when what was typed before raw mode has been read. */
export async function earlyInputRead(): Promise<void> {
  for (let turn = 0; turn < turnsToRead; turn++) await new Promise(setImmediate);
}

/** Only raw mode reads, so that an editor or a pager gets its own keys. */
export function terminalInput(options: TerminalInputOptions) {
  const { stdin, write, take, focus, answered, background, ended } = options;
  const utf8 = new TextDecoder();
  const decoder = new Decoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let awaitsUntilMs = 0;
  let mouse = false;
  let reports = false;
  let isStopped = false;
  let isEarly = false;

  const report = (events: readonly TerminalEvent[]): void => {
    const input: InputEvent[] = [];
    for (const event of events) {
      if (event.type === "focus") focus(event.focused);
      else if (event.type === "status") answered?.();
      else if (event.type === "background") {
        awaitsUntilMs = 0;
        background?.(event.isLight);
      } else input.push(event);
    }
    // Every handled event draws a frame.
    if (input.length > 0) take(input);
  };
  const onData = (bytes: Uint8Array): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = utf8.decode(bytes, { stream: true });
    // Before raw mode, the terminal turned each Enter into a newline; its lines are not a paste.
    const reads = isEarly ? text.split(/(?<=\n)/).map((line) => line.replace("\n", "\r")) : [text];
    isEarly = false;
    report(reads.flatMap((keys) => decoder.push(keys)));
    wait();
  };
  function wait(): void {
    const { waitMs } = decoder;
    if (waitMs === null) return;
    const isAwaited = performance.now() < awaitsUntilMs;
    timer = setTimeout(
      () => {
        // After a long task, what arrived meanwhile is read first.
        void earlyInputRead().then(() => {
          if (timer !== own) return;
          report(decoder.flush());
          wait();
        });
      },
      isAwaited ? Math.max(waitMs, answerEscapeMs) : waitMs,
    );
    const own = timer;
  }
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
      isEarly = on;
      awaitsUntilMs = on ? performance.now() + answerMs : 0;
      listen(on);
      void earlyInputRead().then(() => (isEarly = false));
      if (on) stdin.ref();
      else stdin.unref();
    },
    setMouse(on: boolean): void {
      if (mouse !== on && reports) write(on ? mouseOn : mouseOff);
      mouse = on;
    },
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
      setReports(false);
      isStopped = true;
      listen(false);
    },
  };
}
