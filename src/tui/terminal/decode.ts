/**
 * From what a terminal sends to keys, pastes, mouse reports and changes of focus. A read may hold many
 * of them, or a piece of one. Understood: xterm's, rxvt's and the Linux console's sequences, the
 * kitty protocol, modifyOtherKeys, bracketed paste, SGR mouse. Anything else that is a whole sequence
 * (a terminal's reply) is ignored: it must not be typed into the prompt.
 */

import { press, typed, type InputEvent } from "../keys.ts";
import { byCode, byConsoleLetter, byLetter, byNumber, characterOf } from "./key-codes.ts";
import { mouseEvent } from "./mouse.ts";

const pasteStart = "200~";
const pasteEnd = "\x1b[201~";

/** Nobody types so many letters at once: a paste of a terminal that does not mark pastes. */
const unmarkedPasteChars = 1_000;

// eslint-disable-next-line no-control-regex -- parameters, intermediates and the final byte
const csi = /^\x1b\[([0-?]*)[ -/]*([@-~])/;

// eslint-disable-next-line no-control-regex -- replies of the terminal, with their ends
const reply = /^\x1b[\]P_^X][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)/;

// eslint-disable-next-line no-control-regex -- a sequence that may be incomplete
const unfinished = /^\x1b(?:\x1b?(?:\[[0-?]*[ -/]*|\[\[|O)?|[\]P_^X][^\x07\x1b\x9c]*\x1b?)$/;

/** What is a key of its own if nothing follows: Escape, and Alt with what else begins sequences. */
// eslint-disable-next-line no-control-regex -- Escape
const loneKey = /^\x1b(?:\x1b|[[O\]P_^X])?$/;

export type TerminalEvent =
  | InputEvent
  /** The terminal's window came to the front, or left it. */
  | { type: "focus"; focused: boolean };

export class Decoder {
  #rest = "";
  /** Pieces of the paste that is under way. */
  #paste: string[] | null = null;

  /** Something may be a key of its own: `flush` soon, if nothing follows. */
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

  /** Nothing followed: what waits is a key of its own. */
  flush(): TerminalEvent[] {
    if (!this.isWaiting) return [];
    const [, second] = this.#rest;
    this.#rest = "";
    if (second === undefined) return [press("escape", "")];
    return second === "\x1b"
      ? [press("escape", ""), press("escape", "")]
      : [press(`alt+${second}`, "")];
  }

  /** Up to the end's mark, which may come torn; looks only at what is new. */
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
    const told = reply.exec(text)?.[0];
    if (told !== undefined) return text.slice(told.length);
    if (text.startsWith("\x1b[[")) {
      const name = byConsoleLetter[text.charCodeAt(3) - 65];
      if (name !== undefined) events.push(press(name, ""));
      return text.slice(4);
    }
    const [whole, parameters = "", final = ""] = csi.exec(text) ?? [];
    if (whole !== undefined) {
      if (parameters + final === pasteStart) this.#paste = [];
      else events.push(...sequenceEvents(parameters, final));
      return text.slice(whole.length);
    }
    // A sequence that another one broke off.
    if (text.startsWith("\x1b["))
      return text.slice(text.indexOf("\x1b", 1) > 0 ? text.indexOf("\x1b", 1) : 2);
    if (text[1] === "O") {
      const name = byLetter[text[2] ?? ""];
      if (name !== undefined) events.push(press(name, ""));
      return text.slice(3);
    }
    return takeWithAlt(text, events);
  }
}

/** Plain text up to the next sequence. */
function takeText(text: string, events: TerminalEvent[]): string {
  const end = text.indexOf("\x1b");
  const run = end === -1 ? text : text.slice(0, end);
  if (run.length >= unmarkedPasteChars) events.push({ type: "paste", text: run });
  else for (const key of typed(run)) events.push(key);
  return text.slice(run.length);
}

/** Escape and a key is that key with Alt; Escape and a sequence too. */
function takeWithAlt(text: string, events: TerminalEvent[]): string {
  const inner = new Decoder();
  const second = text.codePointAt(1) ?? 0;
  if (second === 0x1b) {
    const sequence = csi.exec(text.slice(1))?.[0] ?? text.slice(1, 4);
    const [key] = inner.push(sequence);
    if (key?.type === "key") events.push(press(`alt+${key.chord}`, ""));
    return text.slice(1 + sequence.length);
  }
  const character = String.fromCodePoint(second);
  // Nothing hangs on Ctrl and Alt together: these are Escape and then a key, in one read.
  // eslint-disable-next-line no-control-regex -- control characters are what it is about
  if (/[^\P{Cc}\r\n\t\b\x7f]/u.test(character)) {
    events.push(press("escape", ""));
    return text.slice(1);
  }
  const [key] = typed(character);
  if (key) events.push(press(`alt+${key.chord === " " ? "space" : key.chord}`, ""));
  return text.slice(1 + character.length);
}

function sequenceEvents(parameters: string, final: string): TerminalEvent[] {
  const mouse = mouseEvent(parameters, final);
  if (mouse !== undefined) return mouse ? [mouse] : [];
  if (parameters === "" && (final === "I" || final === "O")) {
    return [{ type: "focus", focused: final === "I" }];
  }
  const [first = "", second = "", third = ""] = parameters.split(";");
  const [bits = "1", kind = "1"] = second.split(":");
  const isRelease = kind === "3";
  const isReply = /[<=>?]/.test(parameters);
  if (isReply || isRelease) return [];
  const modifiers = Math.max(0, Number(bits === "" ? 1 : bits) - 1);
  if (final === "u") return coded(Number(first.split(":")[0]), modifiers, third);
  if (final === "~" && first === "27") return coded(Number(third), modifiers, "");
  const name = final === "~" || final === "^" || final === "$" ? byNumber[first] : byLetter[final];
  if (name === undefined) return [];
  // rxvt names the modifier by the last letter.
  const own = final === "^" ? 4 : final === "$" ? 1 : 0;
  return [press(prefix(modifiers | own) + name, "")];
}

/** A key by its character's code. */
function coded(code: number, modifiers: number, text: string): TerminalEvent[] {
  const name = byCode[code];
  if (name !== undefined) return [press(prefix(modifiers) + name, "")];
  const character = characterOf(code);
  if (character === null) return [];
  // Escape as people type it who do not like to reach for it.
  if (character === "[" && modifiers === 4) return [press("escape", "")];
  const isShiftOnly = (modifiers & ~1) === 0;
  const codes = text === "" ? [] : text.split(":").map(Number);
  if (isShiftOnly) {
    const types = codes.map((one) => characterOf(one) ?? "").join("");
    return typed(types || (modifiers & 1 ? character.toUpperCase() : character));
  }
  return [press(prefix(modifiers) + (character === " " ? "space" : character), "")];
}

/** Bits of the protocols: 1 shift, 2 alt, 4 ctrl, 8 super; those of the locks are no modifiers. */
function prefix(modifiers: number): string {
  const ctrl = modifiers & 4 ? "ctrl+" : "";
  const alt = modifiers & (2 | 32) ? "alt+" : "";
  return `${ctrl}${alt}${modifiers & 1 ? "shift+" : ""}${modifiers & 8 ? "super+" : ""}`;
}
