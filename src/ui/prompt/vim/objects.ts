/** Vim's text objects: "iw", "a(", 'i"', "ap". Pure. */

import { lineEnd, lineStart } from "../editor.ts";
import { brackets, kindOf } from "./motions.ts";

type Range = { from: number; to: number };

/** What may follow "i" and "a", with aliases. */
const pairs: Readonly<Record<string, string>> = {
  "(": "(",
  ")": "(",
  b: "(",
  "[": "[",
  "]": "[",
  "{": "{",
  "}": "{",
  B: "{",
  "<": "<",
  ">": "<",
};

export const isObject = (key: string): boolean =>
  /^[wWp"'`]$/.test(key) || pairs[key] !== undefined;

/** Returns null if there is none at the cursor. `key` is the full name, such as "iw". */
export function textObject(text: string, at: number, key: string): Range | null {
  const isInner = key[0] === "i";
  const name = key.slice(1);
  if (name === "w" || name === "W") return word(text, at, isInner, name === "W");
  if (name === "p") return paragraphAt(text, at, isInner);
  if (name === '"' || name === "'" || name === "`") return quoted(text, at, isInner, name);
  const open = pairs[name];
  return open === undefined ? null : enclosed(text, at, isInner, open);
}

function word(text: string, at: number, isInner: boolean, isBig: boolean): Range | null {
  if (text === "") return null;
  const run = (start: number): Range => {
    const kind = kindOf(text, start, isBig);
    const same = (index: number): boolean =>
      kindOf(text, index, isBig) === kind && text[index] !== "\n";
    let from = start;
    let to = start;
    while (from > 0 && same(from - 1)) from--;
    while (to < text.length && same(to)) to++;
    return { from, to };
  };
  const { from, to } = run(at);
  if (isInner || text.slice(from, to).trim() === "") {
    return isInner || to >= text.length ? { from, to } : { from, to: run(to).to };
  }
  const after = /^[^\S\n]*/.exec(text.slice(to))?.[0].length ?? 0;
  if (after > 0) return { from, to: to + after };
  const before = /[^\S\n]*$/.exec(text.slice(lineStart(text, from), from))?.[0].length ?? 0;
  return { from: from - before, to };
}

function quoted(text: string, at: number, isInner: boolean, quote: string): Range | null {
  const start = lineStart(text, at);
  const line = text.slice(start, lineEnd(text, at));
  const marks: number[] = [];
  for (let index = 0; index < line.length; index++) {
    if (line[index] === "\\") index++;
    else if (line[index] === quote) marks.push(start + index);
  }
  for (let index = 0; index + 1 < marks.length; index += 2) {
    const [open = 0, close = 0] = marks.slice(index, index + 2);
    // The cursor is inside the pair or before it.
    if (at > close) continue;
    if (isInner) return { from: open + 1, to: close };
    const after = /^[^\S\n]*/.exec(text.slice(close + 1))?.[0].length ?? 0;
    return { from: open, to: close + 1 + after };
  }
  return null;
}

function enclosed(text: string, at: number, isInner: boolean, open: string): Range | null {
  const close = brackets[open] ?? "";
  let depth = text[at] === close ? -1 : 0;
  let from = at;
  for (; from >= 0; from--) {
    if (text[from] === close) depth++;
    else if (text[from] === open && depth-- === 0) break;
  }
  if (from < 0) return null;
  depth = 0;
  for (let to = from; to < text.length; to++) {
    if (text[to] === open) depth++;
    else if (text[to] === close && --depth === 0) {
      return isInner ? { from: from + 1, to } : { from, to: to + 1 };
    }
  }
  return null;
}

function paragraphAt(text: string, at: number, isInner: boolean): Range {
  const isBlank = (index: number): boolean =>
    text.slice(lineStart(text, index), lineEnd(text, index)).trim() === "";
  const same = isBlank(at);
  let from = lineStart(text, at);
  while (from > 0 && isBlank(from - 1) === same) from = lineStart(text, from - 1);
  let to = lineEnd(text, at);
  while (to < text.length && isBlank(to + 1) === same) to = lineEnd(text, to + 1);
  while (!isInner && to < text.length && isBlank(to + 1) !== same) to = lineEnd(text, to + 1);
  return { from, to: Math.min(text.length, to + 1) };
}
