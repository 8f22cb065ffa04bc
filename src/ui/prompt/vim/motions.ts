/** Vim's motions. Pure; indices are UTF-16 units on grapheme boundaries. */

import { lineEnd, lineStart, nextGrapheme, previousGrapheme } from "../editor.ts";

/** `inclusive`: an operator includes the character at `to`. `lines`: it takes full lines. */
type Target = { to: number; takes: "exclusive" | "inclusive" | "lines" };

export type Find = { key: "f" | "F" | "t" | "T"; char: string };

export function firstNonBlank(text: string, at: number): number {
  const start = lineStart(text, at);
  const end = lineEnd(text, at);
  const offset = text.slice(start, end).search(/\S/);
  return offset === -1 ? end : start + offset;
}

/** Moves back from the end of a line: in normal mode the cursor is on a character. */
export function onCharacter(text: string, at: number): number {
  const start = lineStart(text, at);
  return at > start && at === lineEnd(text, at) ? previousGrapheme(text, at) : at;
}

type Motion = (text: string, at: number, count: number | null) => Target | null;

const to =
  (place: (text: string, at: number) => number): Motion =>
  (text, at) => ({ to: place(text, at), takes: "exclusive" });

/** As many steps as were asked for. */
const steps =
  (step: (text: string, at: number) => number, takes: Target["takes"] = "exclusive"): Motion =>
  (text, at, count) => {
    let place = at;
    for (let n = 0; n < (count ?? 1) && n < text.length; n++) place = step(text, place);
    return { to: place, takes };
  };

const left = steps((text, at) => (at > lineStart(text, at) ? previousGrapheme(text, at) : at));
const right = steps((text, at) => (at < lineEnd(text, at) ? nextGrapheme(text, at) : at));

const toLineEnd: Motion = (text, at, count) => {
  const down = vertical(text, at, (count ?? 1) - 1);
  return down && { to: lineEnd(text, down.to), takes: "exclusive" };
};

/** To a line by its number. */
function toLine(text: string, number: number): Target {
  const lines = text.split("\n");
  const above = lines.slice(0, Math.min(number, lines.length) - 1);
  const start = above.reduce((sum, line) => sum + line.length + 1, 0);
  return { to: firstNonBlank(text, start), takes: "lines" };
}

const motions: Readonly<Record<string, Motion>> = {
  h: left,
  left,
  backspace: left,
  l: right,
  right,
  " ": right,
  j: (text, at, count) => vertical(text, at, count ?? 1),
  k: (text, at, count) => vertical(text, at, -(count ?? 1)),
  w: steps((text, at) => nextWord(text, at, false)),
  W: steps((text, at) => nextWord(text, at, true)),
  b: steps((text, at) => wordStart(text, at, false)),
  B: steps((text, at) => wordStart(text, at, true)),
  e: steps((text, at) => wordEnd(text, at, false), "inclusive"),
  E: steps((text, at) => wordEnd(text, at, true), "inclusive"),
  0: to(lineStart),
  home: to(lineStart),
  "^": to(firstNonBlank),
  $: toLineEnd,
  end: toLineEnd,
  gg: (text, _, count) => toLine(text, count ?? 1),
  G: (text, _, count) => toLine(text, count ?? Infinity),
  "{": steps((text, at) => paragraph(text, at, -1)),
  "}": steps((text, at) => paragraph(text, at, 1)),
  "%": matching,
};

export const isMotion = (key: string): boolean => Object.hasOwn(motions, key);

/** Returns null if the motion leads nowhere. */
export const motion = (
  text: string,
  at: number,
  key: string,
  count: number | null,
): Target | null => motions[key]?.(text, at, count) ?? null;

/** The `count`th occurrence of a character on the line, or null. */
export function find(text: string, at: number, { key, char }: Find, count: number): Target | null {
  const forward = key === "f" || key === "t";
  let to = at;
  for (let n = 0; n < count; n++) {
    to = forward ? text.indexOf(char, nextGrapheme(text, to)) : text.lastIndexOf(char, to - 1);
    if (to === -1 || (to === 0 && at === 0)) return null;
  }
  if (forward ? to >= lineEnd(text, at) : to < lineStart(text, at)) return null;
  if (key === "t") to = previousGrapheme(text, to);
  if (key === "T") to = nextGrapheme(text, to);
  return { to, takes: forward ? "inclusive" : "exclusive" };
}

/** Moves by `lines`, down if positive; null if there are fewer. */
function vertical(text: string, at: number, lines: number): Target | null {
  const column = at - lineStart(text, at);
  let start = lineStart(text, at);
  for (let n = 0; n < Math.abs(lines); n++) {
    if (lines > 0 ? lineEnd(text, start) === text.length : start === 0) return null;
    start = lines > 0 ? lineEnd(text, start) + 1 : lineStart(text, start - 1);
  }
  const wanted = Math.min(start + column, lineEnd(text, start));
  // Inside a grapheme, go to its start.
  const next = nextGrapheme(text, start + Math.max(0, column - 1));
  const to = next > wanted ? previousGrapheme(text, next) : wanted;
  return { to: Math.max(start, to), takes: "lines" };
}

/** 0: whitespace, 1: word character, 2: punctuation, which belongs to a WORD too. */
export function kindOf(text: string, at: number, isBig: boolean): number {
  const character = text[at] ?? " ";
  if (/\s/.test(character)) return 0;
  return isBig || /[\p{L}\p{N}\p{M}_]/u.test(character) ? 1 : 2;
}

function nextWord(text: string, from: number, isBig: boolean): number {
  let at = from;
  const kind = kindOf(text, at, isBig);
  while (at < text.length && kind !== 0 && kindOf(text, at, isBig) === kind) at++;
  while (at < text.length && kindOf(text, at, isBig) === 0) {
    // An empty line counts as a word.
    if (text[at] === "\n" && text[at + 1] === "\n" && at + 1 > from) return at + 1;
    at++;
  }
  return at;
}

function wordStart(text: string, from: number, isBig: boolean): number {
  let at = from;
  while (at > 0 && kindOf(text, at - 1, isBig) === 0) at--;
  const kind = kindOf(text, at - 1, isBig);
  while (at > 0 && kindOf(text, at - 1, isBig) === kind) at--;
  return at;
}

function wordEnd(text: string, from: number, isBig: boolean): number {
  let at = nextGrapheme(text, from);
  while (at < text.length && kindOf(text, at, isBig) === 0) at++;
  const kind = kindOf(text, at, isBig);
  while (at < text.length && kindOf(text, at, isBig) === kind) at++;
  return at > from ? Math.max(from, previousGrapheme(text, at)) : from;
}

function paragraph(text: string, from: number, direction: 1 | -1): number {
  if (direction === 1) {
    const end = text.indexOf("\n\n", Math.max(from, 0) + (text[from] === "\n" ? 1 : 0));
    return end === -1 ? text.length : end + 1;
  }
  const start = from < 2 ? -1 : text.lastIndexOf("\n\n", from - 2);
  return start === -1 ? 0 : start + 1;
}

export const brackets: Readonly<Record<string, string>> = {
  "(": ")",
  "[": "]",
  "{": "}",
  "<": ">",
};

/** The match of the next bracket on the line. */
function matching(text: string, at: number): Target | null {
  const offset = text.slice(at, lineEnd(text, at)).search(/[()[\]{}]/);
  if (offset === -1) return null;
  const from = at + offset;
  const own = text[from] ?? "";
  const closing = brackets[own];
  const opening = Object.keys(brackets).find((open) => brackets[open] === own);
  const other = closing ?? opening ?? "";
  const step = closing ? 1 : -1;
  let depth = 0;
  for (let to = from; to >= 0 && to < text.length; to += step) {
    if (text[to] === own) depth++;
    else if (text[to] === other) depth--;
    if (depth === 0) return { to, takes: "inclusive" };
  }
  return null;
}
