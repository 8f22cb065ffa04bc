/** Where vim's motions lead. Pure; indices are UTF-16 units. */

import { lineEnd, lineStart, nextGrapheme, previousGrapheme, type Editor } from "./editor.ts";

export function firstNonBlank(text: string, at: number): number {
  const offset = text.slice(lineStart(text, at), lineEnd(text, at)).search(/\S/);
  return offset === -1 ? lineEnd(text, at) : lineStart(text, at) + offset;
}

/** Where it leads; null: nowhere. `isBare`: no count was typed. */
type VimMotion = (text: string, at: number, count: number, isBare: boolean) => number | null;

const steps =
  (step: (text: string, at: number) => number) =>
  (text: string, at: number, count: number): number => {
    for (let n = 0; n < count && n < text.length; n++) at = step(text, at);
    return at;
  };

const left = steps((text, at) => (at > lineStart(text, at) ? previousGrapheme(text, at) : at));

export const right = steps((text, at) => (at < lineEnd(text, at) ? nextGrapheme(text, at) : at));

/** Moves by `lines`, down if positive; null if there are fewer. */
export function vertical(text: string, at: number, lines: number): number | null {
  let start = lineStart(text, at);
  const column = at - start;
  for (let n = 0; n < Math.abs(lines); n++) {
    if (lines > 0 ? lineEnd(text, start) === text.length : start === 0) return null;
    start = lines > 0 ? lineEnd(text, start) + 1 : lineStart(text, start - 1);
  }
  const wanted = Math.min(start + column, lineEnd(text, start));
  // Inside a grapheme, go to its start.
  const next = nextGrapheme(text, start + Math.max(0, column - 1));
  return Math.max(start, next > wanted ? previousGrapheme(text, next) : wanted);
}

/** The last line if there are fewer. */
const toLine = (text: string, number: number): number =>
  firstNonBlank(text, vertical(text, 0, number - 1) ?? text.length);

type TextRange = { from: number; to: number };

/** A word is letters or punctuation; a WORD is both. */
const words = { small: "[\\p{L}\\p{N}\\p{M}_]+|[^\\p{L}\\p{N}\\p{M}_\\s]+", big: "\\S+" };

/** Words, and everything that `other` matches. */
const readWords = (text: string, size: keyof typeof words, other: string): TextRange[] =>
  [...text.matchAll(new RegExp(words[size] + other, "gu"))].map(({ 0: word, index }) => ({
    from: index,
    to: index + word.length,
  }));

/** An empty line counts as a word, but has no end. */
const orEmptyLine = "|(?<=\\n)(?=\\n)";

const wordMotions = (
  size: keyof typeof words,
): [next: VimMotion, back: VimMotion, end: VimMotion] => [
  (text, at, count) =>
    readWords(text, size, orEmptyLine).filter(({ from }) => from > at)[count - 1]?.from ??
    text.length,
  (text, at, count) =>
    readWords(text, size, orEmptyLine)
      .filter(({ from }) => from < at)
      .at(-count)?.from ?? 0,
  (text, at, count) => {
    const after = readWords(text, size, "").filter(({ to }) => to > nextGrapheme(text, at));
    return Math.max(at, previousGrapheme(text, after[count - 1]?.to ?? text.length));
  },
];

const [w, b, e] = wordMotions("small");
const [W, B, E] = wordMotions("big");

const motions: Readonly<Record<string, VimMotion>> = {
  h: left,
  l: right,
  " ": right,
  j: vertical,
  k: (text, at, count) => vertical(text, at, -count),
  w,
  W,
  b,
  B,
  e,
  E,
  0: lineStart,
  "^": firstNonBlank,
  $(text, at, count) {
    const down = vertical(text, at, count - 1);
    return down === null ? null : lineEnd(text, down);
  },
  gg: (text, _, count) => toLine(text, count),
  G: (text, _, count, isBare) => toLine(text, isBare ? Infinity : count),
};

export const isMotion = (key: string): boolean =>
  Object.hasOwn(motions, key) || /^[fFtT][^]/.test(key);

/** Where a motion or a find leads; null: nowhere. `count`: null where none was typed. */
export function place(
  { text, cursor }: Editor,
  { key, count }: { key: string; count: number | null },
): number | null {
  const motion = motions[key];
  return motion
    ? motion(text, cursor, count ?? 1, count === null)
    : find(text, cursor, key, count ?? 1);
}

/** The `count`th occurrence of a character on the line; null: there is none. */
function find(text: string, at: number, wanted: string, count: number): number | null {
  const [way, char] = [wanted.charAt(0), wanted.slice(1)];
  if (char === "") return null;
  const isForward = way === "f" || way === "t";
  let to = at;
  for (let n = 0; n < count; n++) {
    to = isForward ? text.indexOf(char, nextGrapheme(text, to)) : text.lastIndexOf(char, to - 1);
    if (to === -1 || (to === 0 && at === 0)) return null;
  }
  if (isForward ? to >= lineEnd(text, at) : to < lineStart(text, at)) return null;
  if (way === "t") return previousGrapheme(text, to);
  return way === "T" ? nextGrapheme(text, to) : to;
}
