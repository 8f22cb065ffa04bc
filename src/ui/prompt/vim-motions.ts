/** Where vim's motions lead and what its text objects cover. Pure; indices are UTF-16 units. */

import { lineEnd, lineStart, nextGrapheme, previousGrapheme } from "./editor.ts";

/** `inclusive`: an operator includes the character at `to`. `lines`: it takes full lines. */
type MotionTarget = { to: number; takes: "exclusive" | "inclusive" | "lines" };

/** A search for a character on the line, repeated by `;` and `,`. */
export type Find = { key: "f" | "F" | "t" | "T"; char: string };

type TextRange = { from: number; to: number };

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

type VimMotion = (text: string, at: number, count: number | null) => MotionTarget | null;

const to =
  (place: (text: string, at: number) => number): VimMotion =>
  (text, at) => ({ to: place(text, at), takes: "exclusive" });

/** As many steps as were asked for. */
const steps =
  (step: (text: string, at: number) => number): VimMotion =>
  (text, at, count) => {
    let place = at;
    for (let n = 0; n < (count ?? 1) && n < text.length; n++) place = step(text, place);
    return { to: place, takes: "exclusive" };
  };

const left = steps((text, at) => (at > lineStart(text, at) ? previousGrapheme(text, at) : at));
const right = steps((text, at) => (at < lineEnd(text, at) ? nextGrapheme(text, at) : at));

const toLineEnd: VimMotion = (text, at, count) => {
  const down = vertical(text, at, (count ?? 1) - 1);
  return down && { to: lineEnd(text, down.to), takes: "exclusive" };
};

/** To a line by its number. */
function toLine(text: string, number: number): MotionTarget {
  const lines = text.split("\n");
  const above = lines.slice(0, Math.min(number, lines.length) - 1);
  const start = above.reduce((sum, line) => sum + line.length + 1, 0);
  return { to: firstNonBlank(text, start), takes: "lines" };
}

/** The `count`th occurrence of a character on the line, or null. */
export function find(
  text: string,
  at: number,
  { key, char }: Find,
  count: number,
): MotionTarget | null {
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
function vertical(text: string, at: number, lines: number): MotionTarget | null {
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

/** A word is letters or punctuation; a WORD is both. */
const wordPattern = "[\\p{L}\\p{N}\\p{M}_]+|[^\\p{L}\\p{N}\\p{M}_\\s]+";
const bigWordPattern = "\\S+";

/** Words, and everything that `other` matches. */
function readWords(text: string, isBig: boolean, ...other: string[]): TextRange[] {
  const pattern = new RegExp([isBig ? bigWordPattern : wordPattern, ...other].join("|"), "gu");
  return [...text.matchAll(pattern)].map(({ 0: word, index }) => ({
    from: index,
    to: index + word.length,
  }));
}

/** An empty line counts as a word. */
const emptyLine = "(?<=\\n)(?=\\n)";

const nextWord =
  (isBig: boolean): VimMotion =>
  (text, at, count) => {
    const after = readWords(text, isBig, emptyLine).filter(({ from }) => from > at);
    return { to: after[(count ?? 1) - 1]?.from ?? text.length, takes: "exclusive" };
  };

const wordStart =
  (isBig: boolean): VimMotion =>
  (text, at, count) => {
    const before = readWords(text, isBig, emptyLine).filter(({ from }) => from < at);
    return { to: before.at(-(count ?? 1))?.from ?? 0, takes: "exclusive" };
  };

const wordEnd =
  (isBig: boolean): VimMotion =>
  (text, at, count) => {
    const next = nextGrapheme(text, at);
    const after = readWords(text, isBig).filter(({ to }) => to > next);
    const end = after[(count ?? 1) - 1]?.to ?? text.length;
    return { to: Math.max(at, previousGrapheme(text, end)), takes: "inclusive" };
  };

function paragraphAbove(text: string, from: number): number {
  return from < 2 ? 0 : text.lastIndexOf("\n\n", from - 2) + 1;
}

function paragraphBelow(text: string, from: number): number {
  const end = text.indexOf("\n\n", from + (text[from] === "\n" ? 1 : 0));
  return end === -1 ? text.length : end + 1;
}

/** The match of the next bracket on the line. */
function matchingBracket(text: string, at: number): MotionTarget | null {
  const offset = text.slice(at, lineEnd(text, at)).search(/[()[\]{}]/);
  if (offset === -1) return null;
  const pair = ["()", "[]", "{}"].find((brackets) => brackets.includes(text[at + offset] ?? ""));
  const step = text[at + offset] === pair?.[0] ? 1 : -1;
  let depth = 0;
  for (let to = at + offset; to >= 0 && to < text.length; to += step) {
    if (text[to] === pair?.[0]) depth++;
    else if (text[to] === pair?.[1]) depth--;
    if (depth === 0) return { to, takes: "inclusive" };
  }
  return null;
}

const motions: Readonly<Record<string, VimMotion>> = {
  h: left,
  left,
  backspace: left,
  l: right,
  right,
  " ": right,
  j: (text, at, count) => vertical(text, at, count ?? 1),
  k: (text, at, count) => vertical(text, at, -(count ?? 1)),
  w: nextWord(false),
  W: nextWord(true),
  b: wordStart(false),
  B: wordStart(true),
  e: wordEnd(false),
  E: wordEnd(true),
  0: to(lineStart),
  home: to(lineStart),
  "^": to(firstNonBlank),
  $: toLineEnd,
  end: toLineEnd,
  gg: (text, _, count) => toLine(text, count ?? 1),
  G: (text, _, count) => toLine(text, count ?? Infinity),
  "{": steps(paragraphAbove),
  "}": steps(paragraphBelow),
  "%": matchingBracket,
};

export const isMotion = (key: string): boolean => Object.hasOwn(motions, key);

/** Returns null if the motion leads nowhere. */
export const motion = (
  text: string,
  at: number,
  key: string,
  count: number | null,
): MotionTarget | null => motions[key]?.(text, at, count) ?? null;

/** The name of a text object without its "i" or "a". */
export const isObject = (name: string): boolean => /^[wW"'`]$/.test(name);

/** A word or a quoted text, "iw" or `a"`. Returns null if there is none at the cursor. */
export function textObject(text: string, at: number, key: string): TextRange | null {
  const isInner = key[0] === "i";
  const name = key.slice(1);
  const start = lineStart(text, at);
  const line = text.slice(start, lineEnd(text, at));
  const found =
    name === "w" || name === "W"
      ? wordObject(line, at - start, isInner, name === "W")
      : quotedObject(line, at - start, isInner, name);
  return found && { from: start + found.from, to: start + found.to };
}

function wordObject(line: string, at: number, isInner: boolean, isBig: boolean): TextRange {
  const runs = readWords(line, isBig, "\\s+").map(({ from, to }) => {
    return { from, to, isSpace: line.slice(from, to).trim() === "" };
  });
  const index = runs.findIndex((run) => at < run.to);
  const run = runs[index];
  if (!run) return { from: at, to: at };
  const [before, after] = [runs[index - 1], runs[index + 1]];
  if (isInner) return run;
  // A word with the space after it, or else the space before it; a space with the word after it.
  if (after && (run.isSpace || after.isSpace)) return { from: run.from, to: after.to };
  return before?.isSpace && !run.isSpace ? { from: before.from, to: run.to } : run;
}

function quotedObject(line: string, at: number, isInner: boolean, quote: string): TextRange | null {
  const marks = [...line.matchAll(/\\.|["'`]/g)].filter(([mark]) => mark === quote);
  // The cursor is inside the first pair that ends after it, or before it.
  const index = marks.findIndex((mark, number) => number % 2 === 1 && mark.index >= at);
  const [open, close] = marks.slice(index - 1, index + 1);
  if (index === -1 || !open || !close) return null;
  if (isInner) return { from: open.index + 1, to: close.index };
  const after = /^\s*/.exec(line.slice(close.index + 1))?.[0].length ?? 0;
  return { from: open.index, to: close.index + 1 + after };
}
