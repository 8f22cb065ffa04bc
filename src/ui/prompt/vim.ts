/**
 * Vim keys for the prompt: insert and normal mode. Other keys (Enter, Ctrl keys, j and k in normal
 * mode) are left to the prompt. Indices are UTF-16 units.
 */

import { graphemes } from "../../base/clip.ts";
import type { KeyPress } from "../keys.ts";
import {
  insert,
  lineEnd,
  lineStart,
  nextGrapheme,
  previousGrapheme,
  redo,
  replaceRange,
  undo,
  type Editor,
} from "./editor.ts";
import {
  again,
  firstNonBlank,
  motions,
  place,
  right,
  textObject,
  vertical,
} from "./vim-motions.ts";

/** `key`: a motion, a text object ("iw"), a find ("fx"), "line" for a doubled operator, or a command. */
type VimCommand = { count: number | null; operator: string; key: string; isAgain?: boolean };

/** Ctrl-R, as a terminal sends it. */
const redoKey = "\x12";

/** Keys with a name, as the letters that do the same. */
const named: Readonly<Record<string, string>> = {
  left: "h",
  backspace: "h",
  right: "l",
  home: "|",
  end: "$",
  delete: "x",
  "ctrl+r": redoKey,
};

export class VimKeys {
  #isOn: boolean;
  #mode: "insert" | "normal" = "insert";
  /** Keys of an incomplete command. */
  #keys = "";
  /** The last f, F, t or T with its character. */
  #lastFind = "";
  /** A command and the text typed after it, for `.`. */
  #last: { command: VimCommand; typed: string } | null = null;
  /** The editor when insert mode was entered, its number of undo steps, and the command. */
  #inserting: { from: Editor; undos: number; command: VimCommand } | null = null;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** null if vim keys are off. */
  get mode(): "insert" | "normal" | null {
    return this.#isOn ? this.#mode : null;
  }

  toggle(): boolean {
    this.#isOn = !this.#isOn;
    this.#mode = "insert";
    this.#keys = "";
    this.#inserting = null;
    return this.#isOn;
  }

  /** The editor after a vim key; null if vim does not handle the key. */
  press(editor: Editor, { chord, text }: KeyPress): Editor | null {
    const isScroll = editor.text === "" && (chord === "home" || chord === "end");
    if (!this.#isOn || isScroll) return null;
    if (chord === "escape") return this.#escape(editor);
    const name = named[chord];
    if (this.#mode === "insert" || (text === "" && name === undefined)) return null;
    if (this.#keys === "" && (chord === "j" || chord === "k")) return null;
    // A key with a name is no character to look for.
    const isLost = name !== undefined && /[fFtTr]$/.test(this.#keys);
    const keys = isLost ? "" : this.#keys + (name ?? chord);
    this.#keys = incomplete.test(keys) ? keys : "";
    const command = this.#keys === "" ? parse(keys) : null;
    if (!command) return editor;
    if (/^[fFtT]/.test(command.key)) this.#lastFind = command.key;
    const next = this.#run(editor, command);
    if (this.mode === "insert") return next;
    // In normal mode the cursor is on a character, not after the last one of its line.
    const { text: line, cursor } = next;
    const isAfter = cursor > lineStart(line, cursor) && cursor === lineEnd(line, cursor);
    return isAfter ? { ...next, cursor: previousGrapheme(line, cursor) } : next;
  }

  /** In normal mode, j and k move like the arrow keys, past the edge through the history. */
  translate(event: KeyPress): KeyPress {
    if (this.mode !== "normal" || event.text === "") return event;
    const chord = { j: "down", k: "up" }[event.chord];
    return { type: "key", chord: chord ?? event.chord, text: "" };
  }

  /** Returns null in normal mode without pending keys: Escape means nothing to vim there. */
  #escape(editor: Editor): Editor | null {
    if (this.#mode === "normal") {
      if (this.#keys === "") return null;
      this.#keys = "";
      return editor;
    }
    this.#mode = "normal";
    const done = this.#endInsert(editor);
    const isAtStart = done.cursor === lineStart(done.text, done.cursor);
    return isAtStart ? done : { ...done, cursor: previousGrapheme(done.text, done.cursor) };
  }

  #endInsert(editor: Editor): Editor {
    if (!this.#inserting) return editor;
    const { from, undos, command } = this.#inserting;
    this.#inserting = null;
    const typed = readTyped(from, editor);
    this.#last = { command, typed };
    const more = /^[iIaA]$/.test(command.key) ? (command.count ?? 1) - 1 : 0;
    const whole = more > 0 ? insert(editor, typed.repeat(more)) : editor;
    // One undo step covers the typed text and what the command deleted.
    return { ...whole, undo: whole.undo.slice(0, undos + 1) };
  }

  #run(editor: Editor, command: VimCommand): Editor {
    const { operator, key } = command;
    const isAgain = key === ";" || key === ",";
    const motion = isAgain ? { ...command, key: again(key, this.#lastFind), isAgain } : command;
    const count = command.count ?? 1;
    if (operator !== "") {
      const span = readSpan(editor, motion);
      if (span === null) return editor;
      const next = operate(editor, operator, span);
      if (operator === "c") return this.#insert(editor, next, command);
      if (operator === "d") this.#last = { command, typed: "" };
      return next;
    }
    const starts = insertions[key];
    if (starts) return this.#insert(editor, starts(editor), command);
    if (key === ".") return this.#repeat(editor, command.count);
    const change = isMotion(key) ? undefined : changes[key.charAt(0)];
    if (!change) return { ...editor, cursor: place(editor, motion) ?? editor.cursor };
    const next = change(editor, count, key.slice(1));
    if (next && key !== "u" && key !== redoKey) this.#last = { command, typed: "" };
    return next ?? editor;
  }

  #insert(before: Editor, from: Editor, command: VimCommand): Editor {
    this.#mode = "insert";
    this.#inserting = { from, undos: before.undo.length, command };
    return from;
  }

  #repeat(editor: Editor, count: number | null): Editor {
    const last = this.#last;
    if (last === null) return editor;
    const next = this.#run(editor, { ...last.command, count: count ?? last.command.count });
    const done = this.mode === "insert" ? this.#escape(insert(next, last.typed)) : next;
    this.#last = last;
    return done ?? next;
  }
}

/** The text typed at the cursor; empty if anything else changed. */
function readTyped(before: Editor, { text, cursor }: Editor): string {
  const head = before.text.slice(0, before.cursor);
  const tail = before.text.slice(before.cursor);
  const isPure = text.startsWith(head) && text.endsWith(tail) && cursor >= head.length;
  return isPure ? text.slice(head.length, Math.max(head.length, text.length - tail.length)) : "";
}

const incomplete = /^(?:[1-9]\d*)?(?:[dcy](?:[1-9]\d*)?[iagfFtT]?|[gfFtTr])?$/;

const complete = /^([1-9]\d*)?([dcy]?)([1-9]\d*)?(gg|[ia][wW"'`]|[fFtTr][^]+|[^])$/u;

/** Commands that are short for an operator and a motion. */
const shorthands: Readonly<Record<string, string>> = {
  x: "dl",
  X: "dh",
  s: "cl",
  S: "cc",
  C: "c$",
  D: "d$",
  Y: "yy",
};

function parse(typed: string): VimCommand | null {
  const keys = typed.replace(/(?<=^\d*)[xXsSCDY]$/, (key) => shorthands[key] ?? key);
  const [, first, operator = "", second, written] = complete.exec(keys) ?? [];
  if (written === undefined) return null;
  const count = first || second ? Math.min(9_999, Number(first ?? 1) * Number(second ?? 1)) : null;
  const key = written === operator ? "line" : written;
  const isKnown = operator === "" ? isCommand(key) : key === "line" || /^[ia]./.test(key);
  return isKnown || isMotion(key) ? { count, operator, key } : null;
}

const isMotion = (key: string): boolean =>
  Object.hasOwn(motions, key) || /^(?:[fFtT][^]|[;,]$)/.test(key);

const isCommand = (key: string): boolean =>
  key in insertions || key.charAt(0) in changes || key === ".";

/** Commands that enter insert mode, with the editor in which the typing starts. */
const insertions: Readonly<Record<string, (editor: Editor) => Editor>> = {
  i: (editor) => editor,
  I: (editor) => ({ ...editor, cursor: firstNonBlank(editor.text, editor.cursor) }),
  a: (editor) => ({ ...editor, cursor: right(editor.text, editor.cursor, 1) }),
  A: (editor) => ({ ...editor, cursor: lineEnd(editor.text, editor.cursor) }),
  o: (editor) => {
    const end = lineEnd(editor.text, editor.cursor);
    return replaceRange(editor, end, end, "\n");
  },
  O: (editor) => {
    const start = lineStart(editor.text, editor.cursor);
    return { ...replaceRange(editor, start, start, "\n"), cursor: start };
  },
};

/** Other commands that change the text; null if they cannot. */
const changes: Readonly<
  Record<string, (editor: Editor, count: number, char: string) => Editor | null>
> = {
  r: (editor, count, char) => {
    const { text, cursor } = editor;
    const to = right(text, cursor, count);
    if ([...graphemes(text.slice(cursor, to))].length < count) return null;
    const next = replaceRange(editor, cursor, to, char.repeat(count));
    return { ...next, cursor: previousGrapheme(next.text, next.cursor) };
  },
  "~": (editor, count) => {
    const { text, cursor } = editor;
    const to = right(text, cursor, count);
    const swap = (letter: string): string =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
    const swapped = text.slice(cursor, to).replace(/\p{L}/gu, swap);
    return swapped === "" ? null : replaceRange(editor, cursor, to, swapped);
  },
  /** Joins lines with single spaces. */
  J: (editor, count) => {
    const { text, cursor } = editor;
    const end = lineEnd(text, cursor);
    if (end === text.length) return null;
    const last = vertical(text, cursor, Math.max(1, count - 1)) ?? text.length;
    const { from, to } = wholeLines(text, end + 1, last);
    const words = text
      .slice(from, to)
      .split("\n")
      .map((line) => line.trim());
    const glued = words.map((line) => (line === "" ? "" : ` ${line}`)).join("");
    return { ...replaceRange(editor, end, to, glued), cursor: end };
  },
  p: (editor, count) => put(editor, true, count),
  P: (editor, count) => put(editor, false, count),
  u: (editor, count) => repeat(editor, count, undo),
  [redoKey]: (editor, count) => repeat(editor, count, redo),
};

function repeat(editor: Editor, count: number, step: (editor: Editor) => Editor): Editor {
  let next = editor;
  for (let n = 0; n < Math.min(count, 1_000); n++) next = step(next);
  return next;
}

/** Inserts the killed text after (`p`) or before (`P`) the cursor. */
function put(editor: Editor, isAfter: boolean, count: number): Editor {
  const { text, cursor, killed } = editor;
  if (killed === "") return editor;
  if (killed.endsWith("\n")) {
    const body = killed.repeat(count).slice(0, -1);
    const at = isAfter ? lineEnd(text, cursor) : lineStart(text, cursor);
    const next = replaceRange(editor, at, at, isAfter ? `\n${body}` : `${body}\n`);
    return { ...next, cursor: isAfter ? at + 1 : at };
  }
  const at = isAfter ? right(text, cursor, 1) : cursor;
  const done = replaceRange(editor, at, at, killed.repeat(count));
  return { ...done, cursor: Math.max(at, previousGrapheme(done.text, done.cursor)) };
}

type VimSpan = { from: number; to: number; isLines?: boolean };

/** The text an operator applies to; null if there is none. */
function readSpan(editor: Editor, command: VimCommand): VimSpan | null {
  const { text, cursor } = editor;
  const { operator, key, count } = command;
  if (key === "line")
    return wholeLines(text, cursor, vertical(text, cursor, (count ?? 1) - 1) ?? text.length);
  if (/^[ia]./.test(key)) return textObject(text, cursor, key);
  // Changing a word keeps the spaces after it.
  const isWord = key === "w" || key === "W";
  if (isWord && operator === "c" && /\S/.test(text.charAt(cursor)))
    return readSpan(editor, { ...command, key: key === "w" ? "e" : "E" });
  const target = place(editor, command);
  if (target === null) return null;
  if (/^(?:[jkG]|gg)$/.test(key)) return wholeLines(text, cursor, target);
  const from = Math.min(cursor, target);
  let to = Math.max(cursor, target);
  if (/^[eE%ft]/.test(key)) to = nextGrapheme(text, to);
  // A word does not extend past the end of its line.
  if (isWord && text.slice(lineEnd(text, from), to).trim() === "")
    to = Math.min(to, Math.max(lineEnd(text, from), from + 1));
  return from === to ? null : { from, to };
}

const wholeLines = (text: string, cursor: number, other: number): VimSpan => ({
  from: lineStart(text, Math.min(cursor, other)),
  to: lineEnd(text, Math.max(cursor, other)),
  isLines: true,
});

/** Killed lines end with a line break, which tells `put` to insert them as lines. */
function operate(editor: Editor, operator: string, { from, to, isLines }: VimSpan): Editor {
  const { text } = editor;
  const killed = text.slice(from, to) + (isLines ? "\n" : "");
  if (operator === "y") return { ...editor, killed, cursor: isLines ? editor.cursor : from };
  if (operator === "c" || !isLines) return { ...replaceRange(editor, from, to, ""), killed };
  // Remove the line break after the span, or before it at the end of the text.
  const isLast = to === text.length;
  const start = isLast && from > 0 ? from - 1 : from;
  const done = replaceRange(editor, start, isLast ? to : to + 1, "");
  const landing = Math.min(from, done.text.length);
  return { ...done, killed, cursor: firstNonBlank(done.text, landing) };
}
