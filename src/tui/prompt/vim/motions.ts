/** Vim's motions. Pure; indices are UTF-16 units on grapheme boundaries. */

import { nextGrapheme, previousGrapheme } from "../editor.ts";

/** `inclusive`: an operator includes the character at `to`. `lines`: it takes full lines. */
type Target = { to: number; takes: "exclusive" | "inclusive" | "lines" };

export type Find = { key: "f" | "F" | "t" | "T"; char: string };

export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end;
}

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

/** Returns null if the motion leads nowhere. */
export function motion(text: string, at: number, key: string, count: number | null): Target | null {
  const times = count ?? 1;
  const repeat = (step: (at: number) => number): number => {
    let to = at;
    for (let n = 0; n < times && n < text.length; n++) to = step(to);
    return to;
  };
  switch (key) {
    case "h":
    case "left":
    case "backspace": {
      const start = lineStart(text, at);
      const to = repeat((from) => (from > start ? previousGrapheme(text, from) : from));
      return { to, takes: "exclusive" };
    }
    case "l":
    case "right":
    case " ": {
      const end = lineEnd(text, at);
      const to = repeat((from) => (from < end ? nextGrapheme(text, from) : from));
      return { to, takes: "exclusive" };
    }
    case "j":
    case "k":
      return vertical(text, at, key === "j" ? times : -times);
    case "w":
    case "W":
      return { to: repeat((from) => nextWord(text, from, key === "W")), takes: "exclusive" };
    case "b":
    case "B":
      return { to: repeat((from) => wordStart(text, from, key === "B")), takes: "exclusive" };
    case "e":
    case "E":
      return { to: repeat((from) => wordEnd(text, from, key === "E")), takes: "inclusive" };
    case "0":
    case "home":
      return { to: lineStart(text, at), takes: "exclusive" };
    case "^":
      return { to: firstNonBlank(text, at), takes: "exclusive" };
    case "$":
    case "end": {
      const down = vertical(text, at, times - 1);
      return down && { to: lineEnd(text, down.to), takes: "exclusive" };
    }
    case "gg":
    case "G": {
      const lines = text.split("\n");
      const wanted = Math.min(count ?? (key === "G" ? lines.length : 1), lines.length);
      const start = lines.slice(0, wanted - 1).reduce((sum, line) => sum + line.length + 1, 0);
      return { to: firstNonBlank(text, start), takes: "lines" };
    }
    case "{":
      return { to: repeat((from) => paragraph(text, from, -1)), takes: "exclusive" };
    case "}":
      return { to: repeat((from) => paragraph(text, from, 1)), takes: "exclusive" };
    case "%":
      return matching(text, at);
    default:
      return null;
  }
}

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
