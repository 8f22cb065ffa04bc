/**
 * Which lines are on the screen. Only items near the screen are ever laid out, so a page costs the
 * same in a session of ten items and of ten thousand. The place is kept as an item and a line in
 * it, so the top line stays where it is while an answer is streamed or the screen is resized.
 */

/** The line at the top of the screen; null: the end is followed. */
export type ScrollPosition = { item: number; line: number } | null;

export type Source = {
  /** Items, the growing answer included. */
  count: number;
  /** Lines of one item, at least one for each that is shown. */
  lines(item: number): readonly string[];
};

export type Visible = {
  lines: { text: string; item: number }[];
  place: ScrollPosition;
  /** The first line on the screen, also while the end is followed. */
  top: NonNullable<ScrollPosition>;
  below: boolean;
};

/** The lines to draw, and the place as it really is: never beyond the last page. */
export function visibleLines(source: Source, place: ScrollPosition, rows: number): Visible {
  const end = lastPage(source, rows);
  const start = place === null || isBehind(place, end) ? end : place;
  const lines: Visible["lines"] = [];
  for (let item = start.item; item < source.count && lines.length < rows; item++) {
    const all = source.lines(item);
    for (
      let line = item === start.item ? start.line : 0;
      line < all.length && lines.length < rows;
      line++
    ) {
      lines.push({ text: all[line] ?? "", item });
    }
  }
  const followed = start === end;
  return { lines, place: followed ? null : start, top: start, below: !followed };
}

/** `place` moved by so many lines, down where positive. */
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
  return isBehind(moved, end) ? null : moved;
}

/** The line that holds what `line` held, after its item was broken into other lines. */
export function sameLine(old: readonly string[], line: number, now: readonly string[]): number {
  const letters = (text: string): number => Bun.stripANSI(text).replaceAll(/\s/g, "").length;
  let before = 0;
  for (const text of old.slice(0, line)) before += letters(text);
  let next = 0;
  while (next < now.length - 1 && before >= letters(now[next] ?? "")) {
    before -= letters(now[next] ?? "");
    next++;
  }
  return next;
}

/** Top of the last page. */
function lastPage(source: Source, rows: number): { item: number; line: number } {
  let left = rows;
  for (let item = source.count - 1; item >= 0; item--) {
    const height = source.lines(item).length;
    if (height >= left) return { item, line: height - left };
    left -= height;
  }
  return { item: 0, line: 0 };
}

const isBehind = (a: { item: number; line: number }, b: { item: number; line: number }): boolean =>
  a.item > b.item || (a.item === b.item && a.line >= b.line);
