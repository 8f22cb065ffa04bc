/**
 * Vim keys for the prompt: insert and normal mode, with motions, operators, counts and undo. Other
 * keys (Enter, arrows, Ctrl keys, j and k in normal mode) are left to the prompt. Indices are UTF-16 units.
 */

import { graphemes } from "../../base/clip.ts";
import type { KeyPress } from "../keys.ts";
import {
  type Editor,
  insert,
  lineEnd,
  lineStart,
  nextGrapheme,
  previousGrapheme,
  redo,
  replaceRange,
  undo,
} from "./editor.ts";
import { verticalMove } from "./prompt-lines.ts";

/** Ctrl-R, as a terminal sends it. */
const redoKey = "\x12";

const incomplete = /^(?:[1-9]\d*)?(?:[dcy](?:[1-9]\d*)?[gfFtT]?|[gfFtT])?$/;

/** Count, operator, count, and a motion or command. */
const complete = /^([1-9]\d*)?([dcy]?)([1-9]\d*)?(gg|[fFtT][^]+|[^])$/u;

const maxCount = 1_000;

export function vimKeys(isOn: boolean) {
  /** null if vim keys are off. */
  let mode: "insert" | "normal" | null = isOn ? "insert" : null;
  /** Keys of an incomplete command. */
  let pending = "";
  /** Before insert mode: one undo covers what is typed in it. */
  let before: Editor | null = null;

  /** Runs a complete command; an unknown one changes nothing. */
  function run(editor: Editor, typed: string): Editor {
    const keys = typed.replace(/(?<=^\d*)[xsCDY]$/, (key) => shorthands[key] ?? key);
    const [, first, operator = "", second, key = ""] = complete.exec(keys) ?? [];
    const count = Math.min(maxCount, Number(first ?? 1) * Number(second ?? 1));
    const span = operator === "" ? null : readSpan(editor, operator, key, count);
    const isInsertion = operator === "" ? key in insertions : operator === "c" && span !== null;
    if (isInsertion) {
      mode = "insert";
      before = editor;
    }
    if (operator !== "") return span ? operate(editor, operator, span) : editor;
    const start = insertions[key];
    if (start) return start(editor);
    const change = changes[key];
    if (change) return Array.from({ length: count }).reduce<Editor>(change, editor);
    return { ...editor, cursor: place(editor, key, count) ?? editor.cursor };
  }

  return {
    get mode() {
      return mode;
    },
    toggle(): boolean {
      mode = mode === null ? "insert" : null;
      pending = "";
      before = null;
      return mode !== null;
    },
    /** The editor after a vim key; null if vim does not handle the key. */
    press(editor: Editor, { chord, text }: KeyPress): Editor | null {
      if (mode === "insert" && chord === "escape") {
        mode = "normal";
        return moved(inOneStep(before ?? editor, editor), left);
      }
      if (mode !== "normal") return null;
      const key = chord === "ctrl+r" ? redoKey : text;
      const wasPending = pending !== "";
      const keys = pending + key;
      pending = incomplete.test(keys) && key !== "" ? keys : "";
      if (chord === "escape" && wasPending) return editor;
      if (key === "" || keys === "j" || keys === "k") return null;
      const next = pending === "" ? run(editor, keys) : editor;
      return mode === "normal" ? onCharacter(next) : next;
    },
    /** In normal mode, j and k move like the arrow keys, past the edge through the history. */
    translate(event: KeyPress): KeyPress {
      if (mode !== "normal" || event.text === "") return event;
      const chord = { j: "down", k: "up" }[event.chord];
      return { type: "key", chord: chord ?? event.chord, text: "" };
    },
  };
}

/** Commands that are short for an operator and a motion. */
const shorthands: Readonly<Record<string, string>> = {
  x: "dl",
  s: "cl",
  C: "c$",
  D: "d$",
  Y: "yy",
};

type Step = (text: string, at: number) => number;

const left: Step = (text, at) => (at > lineStart(text, at) ? previousGrapheme(text, at) : at);

const right: Step = (text, at) => (at < lineEnd(text, at) ? nextGrapheme(text, at) : at);

function firstNonBlank(text: string, at: number): number {
  const offset = text.slice(lineStart(text, at), lineEnd(text, at)).search(/\S/);
  return offset === -1 ? lineEnd(text, at) : lineStart(text, at) + offset;
}

const moved = (editor: Editor, step: Step): Editor => ({
  ...editor,
  cursor: step(editor.text, editor.cursor),
});

/** In normal mode the cursor is on a character, not after the last one of its line. */
const onCharacter = (editor: Editor): Editor =>
  editor.cursor === lineEnd(editor.text, editor.cursor) ? moved(editor, left) : editor;

/** Where a motion leads; null: nowhere. */
type Motion = (text: string, at: number, count: number) => number | null;

const steps =
  (step: (text: string, at: number) => number | null): Motion =>
  (text, at, count) => {
    let to: number | null = at;
    for (let n = 0; n < count && to !== null; n++) to = step(text, to);
    return to;
  };

const down = steps((text, at) => verticalMove(text, at, Infinity, 1));

/** A word is letters or punctuation. */
const word = /[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]+/gu;

function endOfWord(text: string, at: number): number {
  const ends = text.matchAll(word).map(({ index, 0: { length } }) => index + length);
  const end = ends.find((each) => each > nextGrapheme(text, at)) ?? text.length;
  return Math.max(at, previousGrapheme(text, end));
}

const motions: Readonly<Record<string, Motion>> = {
  h: steps(left),
  l: steps(right),
  j: down,
  k: steps((text, at) => verticalMove(text, at, Infinity, -1)),
  w: steps((text, at) => text.matchAll(word).find(({ index }) => index > at)?.index ?? text.length),
  b: steps((text, at) => [...text.matchAll(word)].findLast(({ index }) => index < at)?.index ?? 0),
  e: steps(endOfWord),
  0: lineStart,
  "^": firstNonBlank,
  $: lineEnd,
  gg: (text) => firstNonBlank(text, 0),
  G: (text) => firstNonBlank(text, text.length),
};

/** Where a motion or a find leads; null: nowhere. */
function place({ text, cursor }: Editor, key: string, count: number): number | null {
  if (/^[fFtT]./u.test(key)) return find(text, cursor, key, count);
  return motions[key]?.(text, cursor, count) ?? null;
}

/** On or beside the `count`th occurrence of a character in the line; null: there is none. */
function find(text: string, at: number, key: string, count: number): number | null {
  const start = lineStart(text, at);
  const places = [...graphemes(text.slice(start, lineEnd(text, at)))]
    .filter(({ segment }) => segment === key.slice(1))
    .map(({ index }) => start + index);
  const to = /^[ft]/.test(key)
    ? places.filter((each) => each > at)[count - 1]
    : places.filter((each) => each < at).at(-count);
  if (to === undefined) return null;
  if (key.startsWith("t")) return previousGrapheme(text, to);
  return key.startsWith("T") ? nextGrapheme(text, to) : to;
}

const openBelow = (editor: Editor): Editor => insert(moved(editor, lineEnd), "\n");

const openAbove = (editor: Editor): Editor =>
  moved(insert(moved(editor, lineStart), "\n"), previousGrapheme);

/** `after`, which one undo turns back into `before`. */
function inOneStep(before: Editor, after: Editor): Editor {
  const { text, cursor } = before;
  return text === after.text ? after : { ...after, undo: [...before.undo, { text, cursor }] };
}

/** Commands that enter insert mode, with the editor in which the typing starts. */
const insertions: Readonly<Record<string, (editor: Editor) => Editor>> = {
  i: (editor) => editor,
  I: (editor) => moved(editor, firstNonBlank),
  a: (editor) => moved(editor, right),
  A: (editor) => moved(editor, lineEnd),
  o: openBelow,
  O: openAbove,
};

/** Other commands that change the text. */
const changes: Readonly<Record<string, (editor: Editor) => Editor>> = {
  p: (editor) => put(editor, moved(editor, right), openBelow),
  P: (editor) => put(editor, editor, openAbove),
  u: undo,
  [redoKey]: redo,
};

/** Inserts the killed text; lines of it get lines of their own. */
function put(editor: Editor, at: Editor, open: (editor: Editor) => Editor): Editor {
  const { killed } = editor;
  if (killed === "") return editor;
  if (!killed.endsWith("\n")) return moved(insert(at, killed), previousGrapheme);
  const opened = open(editor);
  return { ...inOneStep(editor, insert(opened, killed.slice(0, -1))), cursor: opened.cursor };
}

type VimSpan = { from: number; to: number; isLines?: boolean };

/** The text an operator applies to; null if there is none. */
function readSpan(editor: Editor, operator: string, key: string, count: number): VimSpan | null {
  const { text, cursor } = editor;
  if (key === operator)
    return wholeLines(text, cursor, down(text, cursor, count - 1) ?? text.length);
  // Changing a word keeps the spaces after it.
  if (key === "w" && operator === "c" && /\S/.test(text.charAt(cursor)))
    return readSpan(editor, operator, "e", count);
  const target = place(editor, key, count);
  if (target === null) return null;
  if (/^(?:[jkG]|gg)$/.test(key)) return wholeLines(text, cursor, target);
  const from = Math.min(cursor, target);
  let to = Math.max(cursor, target);
  if (/^[eft]/.test(key)) to = nextGrapheme(text, to);
  // A word does not extend past the end of its line.
  if (key === "w" && text.slice(lineEnd(text, from), to).trim() === "")
    to = Math.min(to, Math.max(lineEnd(text, from), from + 1));
  return from === to ? null : { from, to };
}

const wholeLines = (text: string, cursor: number, other: number): VimSpan => ({
  from: lineStart(text, Math.min(cursor, other)),
  to: lineEnd(text, Math.max(cursor, other)),
  isLines: true,
});

/** Killed lines end with a line break, by which `p` inserts them as lines. */
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
