/**
 * Vim keys for the prompt: insert and normal mode. Other keys (Enter, Ctrl keys, j and k in normal
 * mode) are left to the prompt.
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
  find,
  firstNonBlank,
  isMotion,
  isObject,
  motion,
  onCharacter,
  textObject,
  type Find,
} from "./vim-motions.ts";

/** Delete, change, yank. */
type Operator = "d" | "c" | "y";

type VimCommand = {
  count: number | null;
  operator: Operator | null;
  /** A motion, a text object ("iw"), "line" for a doubled operator, or a standalone command. */
  key: string;
  /** The character after f, F, t, T and r. */
  char: string;
};

/** The editor when insert mode was entered, its number of undo steps, and the command. */
type Insertion = { from: Editor; undos: number; command: VimCommand };

/** Commands that are not letters. */
const named = new Set(["left", "right", "home", "end", "backspace", "delete", "ctrl+r"]);

export class VimKeys {
  #isOn: boolean;
  #mode: "insert" | "normal" = "insert";
  /** Keys of an incomplete command. */
  #keys: readonly string[] = [];
  #lastFind: Find | null = null;
  /** A command and the text typed after it, for `.`. */
  #last: { command: VimCommand; typed: string } | null = null;
  #inserting: Insertion | null = null;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** null if vim keys are off. */
  get mode(): "insert" | "normal" | null {
    return this.#isOn ? this.#mode : null;
  }

  /** Returns true if they are on now. */
  toggle(): boolean {
    this.#isOn = !this.#isOn;
    this.#mode = "insert";
    this.#keys = [];
    this.#inserting = null;
    return this.#isOn;
  }

  /** The editor after a vim key; null if vim does not handle the key. */
  press(editor: Editor, { chord, text }: KeyPress): Editor | null {
    const isScroll = editor.text === "" && (chord === "home" || chord === "end");
    if (!this.#isOn || isScroll) return null;
    if (chord === "escape") return this.#escape(editor);
    if (this.#mode === "insert" || (text === "" && !named.has(chord))) return null;
    if (this.#keys.length === 0 && (chord === "j" || chord === "k")) return null;
    const keys = [...this.#keys, chord];
    const command = parse(keys);
    this.#keys = command === "more" ? keys : [];
    if (command === null || command === "more") return editor;
    this.#lastFind = readFind(command) ?? this.#lastFind;
    const next = this.#run(editor, command);
    return this.mode === "insert" ? next : settle(next);
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
      if (this.#keys.length === 0) return null;
      this.#keys = [];
      return editor;
    }
    this.#mode = "normal";
    const inserting = this.#inserting;
    this.#inserting = null;
    const done = inserting ? this.#endInsert(editor, inserting) : editor;
    const isAtStart = done.cursor === lineStart(done.text, done.cursor);
    return isAtStart ? done : { ...done, cursor: previousGrapheme(done.text, done.cursor) };
  }

  #endInsert(editor: Editor, { from, undos, command }: Insertion): Editor {
    const typed = readTyped(from, editor);
    this.#last = { command, typed };
    const more = /^[iIaA]$/.test(command.key) ? (command.count ?? 1) - 1 : 0;
    const whole = more > 0 ? insert(editor, typed.repeat(more)) : editor;
    // One undo step covers the typed text and what the command deleted.
    return { ...whole, undo: whole.undo.slice(0, undos + 1) };
  }

  #run(editor: Editor, command: VimCommand): Editor {
    const { key } = command;
    const count = command.count ?? 1;
    const [operator, over = ""] = shorthands[key] ?? [command.operator, key];
    const starts = insertions[key];
    if (operator === null && starts) return this.#insert(editor, starts(editor), command);
    if (operator !== null) {
      const span = readSpan(editor, { ...command, operator, key: over }, this.#lastFind);
      if (span === null) return editor;
      const next = operate(editor, operator, span);
      if (operator === "c") return this.#insert(editor, next, command);
      if (operator === "d") this.#last = { command, typed: "" };
      return next;
    }
    if (key === "u" || key === "ctrl+r") {
      const step = key === "u" ? undo : redo;
      let next = editor;
      for (let n = 0; n < count && n < 1_000; n++) next = step(next);
      return next;
    }
    if (key === ".") return this.#repeat(editor, command.count);
    const change = changes[key];
    if (!change)
      return { ...editor, cursor: place(editor, command, this.#lastFind)?.to ?? editor.cursor };
    const next = change(editor, count, command.char);
    if (next) this.#last = { command, typed: "" };
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

/** The cursor on a character, as normal mode has it. */
const settle = (editor: Editor): Editor => ({
  ...editor,
  cursor: onCharacter(editor.text, editor.cursor),
});

/** The text typed at the cursor; empty if anything else changed. */
function readTyped(before: Editor, { text, cursor }: Editor): string {
  const head = before.text.slice(0, before.cursor);
  const tail = before.text.slice(before.cursor);
  const isPure = text.startsWith(head) && text.endsWith(tail) && cursor >= head.length;
  return isPure ? text.slice(head.length, Math.max(head.length, text.length - tail.length)) : "";
}

/** Returns "more" for an incomplete command and null for an invalid one. */
function parse(keys: readonly string[]): VimCommand | "more" | null {
  let at = 0;
  const number = (): number | null => {
    const from = at;
    while (/^\d$/.test(keys[at] ?? "") && (keys[at] !== "0" || at > from)) at++;
    return at === from ? null : Math.min(9_999, Number(keys.slice(from, at).join("")));
  };
  const first = number();
  const word = keys[at];
  const operator = word === "d" || word === "c" || word === "y" ? word : null;
  if (operator) at++;
  const second = number();
  const count = second === null ? first : (first ?? 1) * second;
  const command = (key: string, char = ""): VimCommand => ({ count, operator, key, char });
  const [key, next] = keys.slice(at);
  if (key === undefined) return "more";
  if (key === operator) return command("line");
  const wantsObject = operator !== null && (key === "i" || key === "a");
  const wantsCharacter = /^[fFtT]$/.test(key) || (key === "r" && operator === null);
  if (wantsObject || wantsCharacter || key === "g") {
    if (next === undefined) return "more";
    if (key === "g") return next === "g" ? command("gg") : null;
    if (wantsObject) return isObject(next) ? command(key + next) : null;
    return /^[a-z]{2,}|.\+/.test(next) ? null : command(key, next);
  }
  const isStandalone =
    key in insertions || key in changes || key in shorthands || ["u", "ctrl+r", "."].includes(key);
  const isKnown = isMotion(key) || key === ";" || key === "," || (!operator && isStandalone);
  return isKnown ? command(key) : null;
}

/** Commands that are short for an operator and a motion. */
const shorthands: Readonly<Record<string, readonly [Operator, key: string]>> = {
  x: ["d", "l"],
  delete: ["d", "l"],
  X: ["d", "h"],
  s: ["c", "l"],
  S: ["c", "line"],
  C: ["c", "$"],
  D: ["d", "$"],
  Y: ["y", "line"],
};

/** Commands that enter insert mode, with the editor in which the typing starts. */
const insertions: Readonly<Record<string, (editor: Editor) => Editor>> = {
  i: (editor) => editor,
  I: (editor) => ({ ...editor, cursor: firstNonBlank(editor.text, editor.cursor) }),
  a: (editor) => ({ ...editor, cursor: cursorAfter(editor) }),
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

type VimChange = (editor: Editor, count: number, char: string) => Editor | null;

/** Other commands that change the text; null if they cannot. */
const changes: Readonly<Record<string, VimChange>> = {
  r: (editor, count, char) => {
    const to = motion(editor.text, editor.cursor, "l", count)?.to ?? editor.cursor;
    const letters = [...graphemes(editor.text.slice(editor.cursor, to))].length;
    if (letters < count) return null;
    const next = replaceRange(editor, editor.cursor, to, char.repeat(count));
    return { ...next, cursor: previousGrapheme(next.text, next.cursor) };
  },
  "~": (editor, count) => {
    const to = motion(editor.text, editor.cursor, "l", count)?.to ?? editor.cursor;
    const swapped = editor.text
      .slice(editor.cursor, to)
      .replace(/\p{L}/gu, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
    return swapped === "" ? null : replaceRange(editor, editor.cursor, to, swapped);
  },
  J: joinLines,
  p: (editor, count) => put(editor, true, count),
  P: (editor, count) => put(editor, false, count),
};

const cursorAfter = ({ text, cursor }: Editor): number =>
  cursor < lineEnd(text, cursor) ? nextGrapheme(text, cursor) : cursor;

type VimSpan = { from: number; to: number; isLines: boolean };

/** The text an operator applies to; null if there is none. */
function readSpan(editor: Editor, command: VimCommand, lastFind: Find | null): VimSpan | null {
  const { text, cursor } = editor;
  const { operator, key, count } = command;
  if (key === "line") {
    const below = motion(text, cursor, "j", (count ?? 1) - 1);
    return wholeLines(text, cursor, below?.to ?? text.length);
  }
  if (/^[ia]./.test(key)) {
    const object = textObject(text, cursor, key);
    return object && { ...object, isLines: false };
  }
  // Changing a word keeps the spaces after it.
  const isWord = key === "w" || key === "W";
  if (isWord && operator === "c" && /\S/.test(text.charAt(cursor))) {
    return readSpan(editor, { ...command, key: key === "w" ? "e" : "E" }, lastFind);
  }
  const target = place(editor, command, lastFind);
  if (target === null) return null;
  if (target.takes === "lines") return wholeLines(text, cursor, target.to);
  const from = Math.min(cursor, target.to);
  let to = Math.max(cursor, target.to);
  if (target.takes === "inclusive") to = nextGrapheme(text, to);
  // A word does not extend past the end of its line.
  if (isWord && text.slice(lineEnd(text, from), to).trim() === "") {
    to = Math.min(to, Math.max(lineEnd(text, from), from + 1));
  }
  return from === to ? null : { from, to, isLines: false };
}

const wholeLines = (text: string, cursor: number, other: number): VimSpan => ({
  from: lineStart(text, Math.min(cursor, other)),
  to: lineEnd(text, Math.max(cursor, other)),
  isLines: true,
});

const readFind = ({ key, char }: VimCommand): Find | null =>
  key === "f" || key === "F" || key === "t" || key === "T" ? { key, char } : null;

const opposite = { f: "F", F: "f", t: "T", T: "t" } as const;

/** The target of a motion, including `;` and `,`. */
function place({ text, cursor }: Editor, command: VimCommand, lastFind: Find | null) {
  const { key, count } = command;
  const isRepeat = key === ";" || key === ",";
  const wanted = isRepeat ? lastFind : readFind(command);
  if (wanted === null) return motion(text, cursor, key, count);
  const way = key === "," ? { ...wanted, key: opposite[wanted.key] } : wanted;
  const found = find(text, cursor, way, count ?? 1);
  // A repeated "till" must not stop before the same character again.
  const isStuck = isRepeat && found?.to === cursor;
  return isStuck ? find(text, cursor, way, (count ?? 1) + 1) : found;
}

/** Killed lines end with a line break, which tells `put` to insert them as lines. */
function operate(editor: Editor, operator: Operator, { from, to, isLines }: VimSpan): Editor {
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
  const at = isAfter ? cursorAfter(editor) : cursor;
  const done = replaceRange(editor, at, at, killed.repeat(count));
  return { ...done, cursor: Math.max(at, previousGrapheme(done.text, done.cursor)) };
}

/** Joins `count` lines with single spaces; null on the last line. */
function joinLines(editor: Editor, count: number): Editor | null {
  const { text, cursor } = editor;
  const end = lineEnd(text, cursor);
  if (end === text.length) return null;
  const last = motion(text, cursor, "j", Math.max(1, count - 1))?.to ?? text.length;
  const span = wholeLines(text, end + 1, last);
  const lines = text.slice(span.from, span.to).split("\n");
  const words = lines.map((line) => line.trim()).filter((line) => line !== "");
  const glued = words.map((line) => ` ${line}`).join("");
  return { ...replaceRange(editor, end, span.to, glued), cursor: end };
}
