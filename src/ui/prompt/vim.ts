/**
 * Vim keys for the prompt: insert and normal mode, with motions, operators, counts and undo. Other
 * keys (Enter, arrows, Ctrl keys, j and k in normal mode) are left to the prompt. Indices are UTF-16 units.
 */

import type { KeyPress } from "../keys.ts";
import {
  type Editor,
  lineEnd,
  lineStart,
  nextGrapheme,
  previousGrapheme,
  redo,
  replaceRange,
  undo,
} from "./editor.ts";
import { firstNonBlank, isMotion, place, right, vertical } from "./vim-motions.ts";

/** `key`: a motion, a find ("fx"), "line" for a doubled operator, or a command. */
type VimCommand = { count: number | null; operator: string; key: string };

/** Ctrl-R, as a terminal sends it. */
const redoKey = "\x12";

export class VimKeys {
  #isOn: boolean;
  #mode: "insert" | "normal" = "insert";
  /** Keys of an incomplete command. */
  #keys = "";
  /** Undo steps when insert mode was entered: one step covers what is typed in it. */
  #undos: number | null = null;

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
    this.#undos = null;
    return this.#isOn;
  }

  /** The editor after a vim key; null if vim does not handle the key. */
  press(editor: Editor, { chord, text }: KeyPress): Editor | null {
    if (!this.#isOn) return null;
    if (chord === "escape") return this.#escape(editor);
    if (this.#mode === "insert") return null;
    const key = chord === "ctrl+r" ? redoKey : text;
    const isOfPrompt = this.#keys === "" && (key === "j" || key === "k");
    const keys = this.#keys + key;
    this.#keys = key !== "" && incomplete.test(keys) ? keys : "";
    if (key === "" || isOfPrompt) {
      this.#keys = "";
      return null;
    }
    const command = this.#keys === "" ? parse(keys) : null;
    if (!command) return editor;
    const next = this.#run(editor, command);
    if (this.mode === "insert") return next;
    // In normal mode the cursor is on a character, not after the last one of its line.
    const { text: whole, cursor } = next;
    const isAfter = cursor > lineStart(whole, cursor) && cursor === lineEnd(whole, cursor);
    return isAfter ? { ...next, cursor: previousGrapheme(whole, cursor) } : next;
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
    const undos = this.#undos ?? editor.undo.length;
    this.#undos = null;
    const done = { ...editor, undo: editor.undo.slice(0, undos + 1) };
    const isAtStart = done.cursor === lineStart(done.text, done.cursor);
    return isAtStart ? done : { ...done, cursor: previousGrapheme(done.text, done.cursor) };
  }

  #run(editor: Editor, command: VimCommand): Editor {
    const { operator, key } = command;
    if (operator !== "") {
      const span = readSpan(editor, command);
      if (span === null) return editor;
      const next = operate(editor, operator, span);
      return operator === "c" ? this.#insert(editor, next) : next;
    }
    const starts = insertions[key];
    if (starts) return this.#insert(editor, starts(editor));
    const change = changes[key];
    return change
      ? change(editor, command.count ?? 1)
      : { ...editor, cursor: place(editor, command) ?? editor.cursor };
  }

  #insert(before: Editor, from: Editor): Editor {
    this.#mode = "insert";
    this.#undos = before.undo.length;
    return from;
  }
}

const incomplete = /^(?:[1-9]\d*)?(?:[dcy](?:[1-9]\d*)?[gfFtT]?|[gfFtT])?$/;

const complete = /^([1-9]\d*)?([dcy]?)([1-9]\d*)?(gg|[fFtT][^]+|[^])$/u;

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
  const isKnown = operator === "" ? isCommand(key) : key === "line";
  return isKnown || isMotion(key) ? { count, operator, key } : null;
}

const isCommand = (key: string): boolean => key in insertions || key in changes;

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

/** Other commands that change the text. */
const changes: Readonly<Record<string, (editor: Editor, count: number) => Editor>> = {
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
  // Changing a word keeps the spaces after it.
  const isWord = key === "w" || key === "W";
  if (isWord && operator === "c" && /\S/.test(text.charAt(cursor)))
    return readSpan(editor, { ...command, key: key === "w" ? "e" : "E" });
  const target = place(editor, command);
  if (target === null) return null;
  if (/^(?:[jkG]|gg)$/.test(key)) return wholeLines(text, cursor, target);
  const from = Math.min(cursor, target);
  let to = Math.max(cursor, target);
  if (/^[eEft]/.test(key)) to = nextGrapheme(text, to);
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
