/**
 * Which lines are visible. Only items near the viewport are laid out, so that a page costs the same in
 * a session of ten items and of ten thousand. The position is an item and a line in it, so that the top
 * line stays in place while an answer is streamed or the screen is resized.
 */

import type { Theme } from "../theme.ts";
import { restyled } from "../painted-text.ts";
import type { Line } from "../spans.ts";

export type Place = { item: number; line: number };

/** The line at the top of the screen; null follows the end. */
export type ScrollPosition = Place | null;

export type Source = {
  count: number;
  lines(item: number): readonly string[];
};

export type Visible = {
  lines: (Place & { text: string })[];
  /** The first visible line, even while the end is followed. */
  top: Place;
  below: boolean;
};

/** The lines to draw, starting at the top of the last page or above. */
export function visibleLines(source: Source, place: ScrollPosition, rows: number): Visible {
  const end = lastPage(source, rows);
  const start = place === null || compare(place, end) >= 0 ? end : place;
  const lines = linesFrom(source, start).take(rows).toArray();
  return { lines, top: start, below: start !== end };
}

/** The last lines, at most `most`, and whether there are more before them. */
export function lastLines(source: Source, most: number): { lines: string[]; isCut: boolean } {
  const start = lastPage(source, most);
  const lines = linesFrom(source, start).map(({ text }) => text);
  return { lines: [...lines], isCut: start.item > 0 || start.line > 0 };
}

/** Moves `place` by `delta` lines, down if positive. */
export function scrollBy(
  source: Source,
  place: ScrollPosition,
  rows: number,
  delta: number,
): ScrollPosition {
  const end = lastPage(source, rows);
  let { item, line } = place ?? end;
  line += delta;
  while (line < 0 && item > 0) {
    item--;
    line += source.lines(item).length;
  }
  line = Math.max(0, line);
  for (let height = source.lines(item).length; item < source.count - 1 && line >= height;) {
    line -= height;
    item++;
    height = source.lines(item).length;
  }
  const moved = { item, line };
  return compare(moved, end) >= 0 ? null : moved;
}

/** Scrolls no further than it takes to show all of an item, or as much as fits from its beginning. */
export function revealed(
  source: Source,
  { lines, top }: Visible,
  item: number,
  rows: number,
): ScrollPosition {
  const row = lines.findIndex((shown) => shown.item === item && shown.line === 0);
  const hidden = row + source.lines(item).length - rows;
  if (row < 0 || hidden >= row) return { item, line: 0 };
  return scrollBy(source, top, rows, Math.max(0, hidden));
}

function lastPage(source: Source, rows: number): Place {
  let left = rows;
  for (let item = source.count - 1; item >= 0; item--) {
    const height = source.lines(item).length;
    if (height >= left) return { item, line: height - left };
    left -= height;
  }
  return { item: 0, line: 0 };
}

/** Negative: `a` is before `b`. */
export const compare = (a: Place, b: Place): number =>
  a.item === b.item ? a.line - b.line : a.item - b.item;

export function linesBetween(source: Source, from: Place, to: Place): Visible["lines"] {
  const lines: Visible["lines"] = [];
  for (const line of linesFrom(source, from)) {
    if (compare(line, to) > 0) break;
    lines.push(line);
  }
  return lines;
}

function* linesFrom(source: Source, from: Place): Generator<Place & { text: string }> {
  let { line } = from;
  for (let { item } = from; item < source.count; item++) {
    for (const all = source.lines(item); line < all.length; line++)
      yield { item, line, text: all[line] ?? "" };
    line = 0;
  }
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

export function markMatches(line: string, pattern: RegExp, theme: Theme): string {
  const plain = Bun.stripANSI(line);
  const ranges = plain.matchAll(pattern).map(({ 0: match, index }) => {
    const from = Bun.stringWidth(plain.slice(0, index));
    return [from, from + Bun.stringWidth(match)] as const;
  });
  return plain.search(pattern) < 0 ? line : restyled(line, [...ranges], "match", theme);
}

/** The visible part of the transcript, in exactly as many rows as there is room for. */
export type TranscriptView = {
  /** Columns by which lines extend to the left, for marks in the gutter. */
  shift: number;
  readonly columns: number;
  readonly rows: number;
  /** Styled lines, one per row except the foot. */
  readonly lines: readonly string[];
  /** The place of each line in the transcript. */
  readonly places: readonly Place[];
  /** The row below the transcript: a count of the lines below, a search, or key hints. */
  readonly foot: Line | null;
};
