/** Finds text in the transcript and highlights it. */

import type { Theme } from "../theme.ts";

/** Matches `needle` literally, ignoring case. */
export const patternOf = (needle: string): RegExp => new RegExp(RegExp.escape(needle), "gi");

/** The nearest match from item `from` (inclusive) in the direction of `step`; null if there is none. */
export function findItem(
  count: number,
  text: (index: number) => string,
  from: number,
  step: 1 | -1,
  pattern: RegExp,
): number | null {
  for (let index = from; index >= 0 && index < count; index += step) {
    if (text(index).search(pattern) >= 0) return index;
  }
  return null;
}

/** The nearest matching line of an item; null if it is folded away or split over two lines. */
export function findLine(
  lines: readonly string[],
  from: number,
  step: 1 | -1,
  pattern: RegExp,
): number | null {
  for (let index = from; index >= 0 && index < lines.length; index += step) {
    if (Bun.stripANSI(lines[index] ?? "").search(pattern) >= 0) return index;
  }
  return null;
}

/** Highlights every match in a painted line. */
export function markMatches(line: string, pattern: RegExp, theme: Theme): string {
  const plain = Bun.stripANSI(line);
  if (plain.search(pattern) < 0) return line;
  let marked = "";
  let column = 0;
  for (const match of plain.matchAll(pattern)) {
    if (match[0] === "") continue;
    const start = Bun.stringWidth(plain.slice(0, match.index));
    marked += Bun.sliceAnsi(line, column, start) + theme.paint("match", match[0]);
    column = start + Bun.stringWidth(match[0]);
  }
  return marked + Bun.sliceAnsi(line, column);
}
