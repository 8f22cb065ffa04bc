/**
 * Decodes terminal input into keys, pastes, mouse reports and focus changes. A read may hold many of
 * them, or part of one. Supports the sequences of xterm, rxvt and the Linux console, the kitty protocol,
 * modifyOtherKeys, bracketed paste and SGR mouse. Other complete sequences (such as replies of the
 * terminal) are ignored, so that they are not typed into the prompt.
 */

import { type InputEvent, type MouseEvent, press, typed } from "../keys.ts";

const pasteStart = "200~";
const pasteEnd = "\x1b[201~";

/** Nobody types this many letters in one read: it is a paste that the terminal does not mark. */
const unmarkedPasteChars = 1_000;

// eslint-disable-next-line no-control-regex -- parameters, intermediates and the final byte
const csi = /^\x1b\[([0-?]*)[ -/]*([@-~])/;

// eslint-disable-next-line no-control-regex -- replies of the terminal, with their ends
const reply = /^\x1b[\]P_^X][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)/;

const unfinished =
  // eslint-disable-next-line no-control-regex -- a sequence that may be incomplete
  /^\x1b(?:\x1b?(?:\[[0-?]*[ -/]*|\[\[|O)?|\[M[^]{0,2}|[\]P_^X][^\x07\x1b\x9c]*\x1b?)$/;

/** A mouse report of three characters that are not text, where there is no other form. */
const oldMouse = "\x1b[M";

/** SGR (1006) only, because the older encodings cannot express every column. */
const mouseReport = /^<(\d+);(\d+);(\d+)[Mm]$/;

/** Keys in themselves unless more follows: Escape, and Alt with a character that starts sequences. */
// eslint-disable-next-line no-control-regex -- Escape
const loneKey = /^\x1b(?:\x1b|[[O\]P_^X])?$/;

function parseKeys(list: string): ReadonlyMap<string, string> {
  const pairs = list.matchAll(/(\w+) ([^\s,]+)/g);
  return new Map(pairs.map(([, code = "", key = ""]) => [code, key]));
}

/** `CSI 1 ; modifiers LETTER` and `SS3 LETTER`. */
const byLetter = parseKeys(
  "A up, B down, C right, D left, F end, H home, P f1, Q f2, R f3, S f4, Z shift+tab, M enter",
);

/** `CSI NUMBER ; modifiers ~`. */
const byNumber = parseKeys(
  "1 home, 2 insert, 3 delete, 4 end, 5 pageup, 6 pagedown, 7 home, 8 end, 11 f1, 12 f2, 13 f3, " +
    "14 f4, 15 f5, 17 f6, 18 f7, 19 f8, 20 f9, 21 f10, 23 f11, 24 f12",
);

/** The Linux console's `CSI [ LETTER`. */
const byConsoleLetter = parseKeys("A f1, B f2, C f3, D f4, E f5");

/** Non-printing keys by their code in the kitty protocol and modifyOtherKeys. */
const byCode = parseKeys(
  "8 backspace, 9 tab, 13 enter, 27 escape, 127 backspace, 57414 enter, 57417 left, 57418 right, " +
    "57419 up, 57420 down, 57421 pageup, 57422 pagedown, 57423 home, 57424 end, 57425 insert, " +
    "57426 delete",
);

/** Characters of the number pad, from code 57399 on; a space means a key without a character. */
const pad = "0123456789./*-+ =,";

export type TerminalEvent =
  | InputEvent
  | { type: "focus"; focused: boolean }
  | { type: "status" }
  | { type: "background"; isLight: boolean };

/** The answer to `backgroundRequest`: red, green and blue, each of 1 to 4 hexadecimal digits. */
// eslint-disable-next-line no-control-regex -- Escape
const backgroundReply = /^\x1b\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i;

/** Whether dark text is read better on that background; null: another reply. */
function readBackground(answer: string): boolean | null {
  const [, ...parts] = backgroundReply.exec(answer) ?? [];
  if (parts.length === 0) return null;
  const [red = 0, green = 0, blue = 0] = parts.map(
    (part) => parseInt(part, 16) / (16 ** part.length - 1),
  );
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5;
}

export class Decoder {
  #rest = "";
  #paste: string[] | null = null;

  /** The rest may be a complete key: call `flush` if nothing follows soon. */
  get isWaiting(): boolean {
    return this.#paste === null && loneKey.test(this.#rest);
  }

  push(text: string): TerminalEvent[] {
    const events: TerminalEvent[] = [];
    let left = this.#rest + text;
    this.#rest = "";
    while (left !== "") {
      if (this.#paste) left = this.#takePaste(this.#paste, left, events);
      else if (!left.startsWith("\x1b")) left = takeText(left, events);
      else if (unfinished.test(left)) {
        this.#rest = left;
        return events;
      } else left = this.#takeSequence(left, events);
    }
    return events;
  }

  /** Nothing followed: the rest is a complete key. */
  flush(): TerminalEvent[] {
    if (!this.isWaiting) return [];
    const [, second] = this.#rest;
    this.#rest = "";
    if (second === undefined) return [press("escape", "")];
    return second === "\x1b"
      ? [press("escape", ""), press("escape", "")]
      : [press(`alt+${second}`, "")];
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
    if (text.startsWith(oldMouse)) return text.slice(oldMouse.length + 3);
    if (text.startsWith("\x1b[[")) {
      const name = byConsoleLetter.get(text[3] ?? "");
      if (name !== undefined) events.push(press(name, ""));
      return text.slice(4);
    }
    const [whole, parameters = "", final = ""] = csi.exec(text) ?? [];
    if (whole !== undefined) {
      if (parameters + final === pasteStart) this.#paste = [];
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

function takeText(text: string, events: TerminalEvent[]): string {
  const end = text.indexOf("\x1b");
  const run = end === -1 ? text : text.slice(0, end);
  if (run.length >= unmarkedPasteChars) events.push({ type: "paste", text: run });
  else for (const key of typed(run)) events.push(key);
  return text.slice(run.length);
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
  const [key] = typed(character);
  if (key) events.push(press(`alt+${key.chord === " " ? "space" : key.chord}`, ""));
  return text.slice(1 + character.length);
}

function sequenceEvents(parameters: string, final: string): TerminalEvent[] {
  const [, button, column, row] = mouseReport.exec(parameters + final) ?? [];
  if (button !== undefined) {
    const action = mouseAction(Number(button), final);
    const place = { column: Number(column) - 1, row: Number(row) - 1 };
    return action === null ? [] : [{ type: "mouse", action, ...place }];
  }
  if (parameters === "" && (final === "I" || final === "O")) {
    return [{ type: "focus", focused: final === "I" }];
  }
  if (parameters === "0" && final === "n") return [{ type: "status" }];
  const [first = "", second = "", third = ""] = parameters.split(";");
  const [bits = "1", kind = "1"] = second.split(":");
  const isRelease = kind === "3";
  const isReply = /[<=>?]/.test(parameters);
  if (isReply || isRelease) return [];
  const modifiers = Math.max(0, Number(bits === "" ? 1 : bits) - 1);
  if (final === "u") return coded(Number(first.split(":")[0]), modifiers, third);
  if (final === "~" && first === "27") return coded(Number(third), modifiers, "");
  const name =
    final === "~" || final === "^" || final === "$" ? byNumber.get(first) : byLetter.get(final);
  if (name === undefined) return [];
  // rxvt encodes the modifier in the last character.
  const own = final === "^" ? 4 : final === "$" ? 1 : 0;
  return [press(prefix(modifiers | own) + name, "")];
}

function mouseAction(button: number, final: string): MouseEvent["action"] | null {
  if (button & 64) return button & 1 ? "wheelDown" : "wheelUp";
  // Only the left button.
  if ((button & 3) !== 0) return null;
  if (button & 32) return "drag";
  return final === "M" ? "press" : "release";
}

function coded(code: number, modifiers: number, text: string): TerminalEvent[] {
  const name = byCode.get(`${code}`);
  if (name !== undefined) return [press(prefix(modifiers) + name, "")];
  const character = readCharacter(code);
  if (character === null) return [];
  // Ctrl-[ is Escape.
  if (character === "[" && modifiers === 4) return [press("escape", "")];
  const isShiftOnly = (modifiers & ~1) === 0;
  const codes = text === "" ? [] : text.split(":").map(Number);
  if (isShiftOnly) {
    const types = codes.map((own) => readCharacter(own) ?? "").join("");
    return typed(types || (modifiers & 1 ? character.toUpperCase() : character));
  }
  return [press(prefix(modifiers) + (character === " " ? "space" : character), "")];
}

/** The protocols' bits: 1 shift, 2 alt, 4 ctrl, 8 super, 32 meta; lock keys are ignored. */
function prefix(modifiers: number): string {
  const ctrl = modifiers & 4 ? "ctrl+" : "";
  const alt = modifiers & (2 | 32) ? "alt+" : "";
  return `${ctrl}${alt}${modifiers & 1 ? "shift+" : ""}${modifiers & 8 ? "super+" : ""}`;
}

/** The character of a code; null for a non-printing key. */
function readCharacter(code: number): string | null {
  const onPad = pad[code - 57399];
  if (onPad !== undefined) return onPad === " " ? null : onPad;
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || isPrivate || isSurrogate) return null;
  return code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

/** How long the rest of a sequence may take, in milliseconds, before Escape counts as a key. */
const escapeMs = 30;

/** Bracketed paste, focus reports, and the kitty protocol's unambiguous Escape and modifiers. */
const reportsOn = "\x1b[?2004h\x1b[?1004h\x1b[>1u";
const reportsOff = "\x1b[<u\x1b[?1004l\x1b[?2004l";

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
  let mouse = false;
  let reports = false;
  let isStopped = false;
  let isEarly = false;

  const report = (events: readonly TerminalEvent[]): void => {
    const input: InputEvent[] = [];
    for (const event of events) {
      if (event.type === "focus") focus(event.focused);
      else if (event.type === "status") answered?.();
      else if (event.type === "background") background?.(event.isLight);
      else input.push(event);
    }
    // A frame is drawn for whatever is taken.
    if (input.length > 0) take(input);
  };
  const onData = (bytes: Uint8Array): void => {
    clearTimeout(timer);
    const text = utf8.decode(bytes, { stream: true });
    // Before raw mode, the terminal turned each Enter into a newline.
    const keys = isEarly ? text.replaceAll("\n", "\r") : text;
    isEarly = false;
    report(decoder.push(keys));
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
      isEarly = on;
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
      setReports(false);
      isStopped = true;
      listen(false);
    },
  };
}
