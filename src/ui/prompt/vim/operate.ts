/** Vim's operators and the text they apply to. Pure. */

import {
  previousGrapheme,
  replaceRange,
  nextGrapheme,
  type Editor,
  lineEnd,
  lineStart,
} from "../editor.ts";
import { find, firstNonBlank, kindOf, motion, type Find } from "./motions.ts";
import { textObject } from "./objects.ts";
import type { Operator, VimCommand } from "./parse.ts";

export type Span = { from: number; to: number; isLines: boolean };

/** The text an operator applies to; null if there is none. */
export function spanOf(editor: Editor, command: VimCommand, lastFind: Find | null): Span | null {
  const { text, cursor } = editor;
  const { operator, key, count } = command;
  if (key === "line") {
    const below = motion(text, cursor, "j", (count ?? 1) - 1);
    if ((count ?? 1) > 1 && below === null) return lines(text, cursor, text.length);
    return lines(text, cursor, below?.to ?? cursor);
  }
  if (/^[ia]./.test(key)) {
    const object = textObject(text, cursor, key);
    return object && { ...object, isLines: false };
  }
  // Changing a word keeps the spaces after it.
  const isWord = key === "w" || key === "W";
  if (isWord && operator === "c" && kindOf(text, cursor, key === "W") !== 0) {
    return spanOf(editor, { ...command, key: key === "w" ? "e" : "E" }, lastFind);
  }
  const target = place(editor, command, lastFind);
  if (target === null) return null;
  if (target.takes === "lines") return lines(text, cursor, target.to);
  const from = Math.min(cursor, target.to);
  let to = Math.max(cursor, target.to);
  if (target.takes === "inclusive") to = nextGrapheme(text, to);
  // A word does not extend past the end of its line.
  if (isWord && text.slice(lineEnd(text, from), to).trim() === "") {
    to = Math.min(to, Math.max(lineEnd(text, from), from + 1));
  }
  return from === to ? null : { from, to, isLines: false };
}

/** The target of a motion, including `;` and `,`. */
function place(editor: Editor, { key, char, count }: VimCommand, lastFind: Find | null) {
  const { text, cursor } = editor;
  const wanted = findOf(key, char) ?? (key === ";" || key === "," ? lastFind : null);
  if (wanted === null) return motion(text, cursor, key, count);
  const way = key === "," ? { ...wanted, key: opposite[wanted.key] } : wanted;
  const found = find(text, cursor, way, count ?? 1);
  // A repeated "till" must not stop before the same character again.
  const isStuck = key.length === 1 && (key === ";" || key === ",") && found?.to === cursor;
  return isStuck ? find(text, cursor, way, (count ?? 1) + 1) : found;
}

/** The editor with its cursor at the target of a motion. */
export const moved = (editor: Editor, command: VimCommand, lastFind: Find | null): Editor => ({
  ...editor,
  cursor: place(editor, command, lastFind)?.to ?? editor.cursor,
});

const opposite = { f: "F", F: "f", t: "T", T: "t" } as const;

export const findOf = (key: string, char: string): Find | null =>
  key === "f" || key === "F" || key === "t" || key === "T" ? { key, char } : null;

export const lines = (text: string, one: number, other: number): Span => ({
  from: lineStart(text, Math.min(one, other)),
  to: lineEnd(text, Math.max(one, other)),
  isLines: true,
});

/** Killed lines end with a line break, which tells `put` to insert them as lines. */
export function operate(editor: Editor, operator: Operator, span: Span): Editor {
  const { text } = editor;
  const { from, to, isLines } = span;
  const killed = text.slice(from, to) + (isLines ? "\n" : "");
  if (operator === "y") return { ...editor, killed, cursor: isLines ? editor.cursor : from };
  if (operator === "c" || !isLines) {
    return { ...replaceRange(editor, from, to, ""), killed };
  }
  // Remove the line break after the span, or before it at the end of the text.
  const isLast = to === text.length;
  const start = isLast && from > 0 ? from - 1 : from;
  const done = replaceRange(editor, start, isLast ? to : to + 1, "");
  const landing = Math.min(from, done.text.length);
  return { ...done, killed, cursor: firstNonBlank(done.text, landing) };
}

/** Inserts the killed text after (`p`) or before (`P`) the cursor. */
export function put(editor: Editor, isAfter: boolean, count: number): Editor {
  const { text, cursor, killed } = editor;
  if (killed === "") return editor;
  if (killed.endsWith("\n")) {
    const body = killed.repeat(count).slice(0, -1);
    if (!isAfter) {
      const at = lineStart(text, cursor);
      return { ...replaceRange(editor, at, at, `${body}\n`), cursor: at };
    }
    const at = lineEnd(text, cursor);
    return { ...replaceRange(editor, at, at, `\n${body}`), cursor: at + 1 };
  }
  const at = isAfter && cursor < lineEnd(text, cursor) ? nextGrapheme(text, cursor) : cursor;
  const done = replaceRange(editor, at, at, killed.repeat(count));
  return { ...done, cursor: Math.max(at, previousGrapheme(done.text, done.cursor)) };
}

/** Joins `count` lines with single spaces. */
export function join(editor: Editor, count: number): Editor {
  const { text, cursor } = editor;
  const end = lineEnd(text, cursor);
  if (end === text.length) return editor;
  const last = motion(text, cursor, "j", Math.max(1, count - 1))?.to ?? text.length;
  const span = lines(text, end + 1, last);
  const body = text.slice(span.from, span.to).split("\n");
  const joined = body
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
  const glue = joined === "" ? "" : ` ${joined}`;
  return { ...replaceRange(editor, end, span.to, glue), cursor: end };
}

/** Swaps upper and lower case. */
export function swapCase(editor: Editor, from: number, to: number): Editor {
  const swapped = editor.text
    .slice(from, to)
    .replace(/\p{L}/gu, (one) =>
      one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
    );
  return replaceRange(editor, from, to, swapped);
}
