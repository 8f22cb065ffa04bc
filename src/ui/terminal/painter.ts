/**
 * Draws frames: writes only what differs from the previous one, and scrolls where text moved. Ink
 * lays out, parses and compares the whole screen for every frame, which takes more time than all
 * else that a key or a streamed token causes.
 */

import { fit } from "../wrap.ts";
import { moveTo, rowChange } from "./row-change.ts";

export type Frame = {
  /** As many as the screen has. */
  rows: readonly string[];
  /** How many of them, from the top, scroll. */
  scrolling: number;
  /** null: hidden. */
  cursor: { x: number; y: number } | null;
};

const syncOn = "\x1b[?2026h";
const syncOff = "\x1b[?2026l";
const show = "\x1b[?25h";
const hide = "\x1b[?25l";
/** Some terminals put a screen that is cleared as a whole into the scrollback. */
const clear = "\x1b[H\x1b[J";

/** Marks at the start of a row would join a character of another one. */
// eslint-disable-next-line no-control-regex -- styles are in the text
const leadingMarks = /^(?<styles>(?:\x1b\[[\d;]*m)*)\p{M}+/u;

export class Painter {
  readonly #write: (output: string) => void;
  /** What is on the screen; null: unknown. */
  #rows: readonly string[] | null = null;
  #cursor = "";

  constructor(write: (output: string) => void) {
    this.#write = write;
  }

  /** Something else was drawn, or the size changed: the next frame is written in full. */
  forget(): void {
    this.#rows = null;
  }

  /**
   * Writes about `maxBytes` at most, what does not scroll first, then from the bottom up; returns false
   * if that was not all.
   */
  paint({ rows, scrolling, cursor }: Frame, columns: number, maxBytes = Infinity): boolean {
    const known = this.#rows?.length === rows.length ? this.#rows : null;
    const shown = known ?? rows.map(() => "");
    const next = rows.map((row, index) =>
      shown[index] === row ? row : fit(row.replace(leadingMarks, "$<styles>"), columns),
    );
    const top = shown.slice(0, scrolling);
    const shift = scrolledBy(top, next.slice(0, scrolling));
    const moved = shift === 0 ? shown : [...scroll(top, shift), ...shown.slice(scrolling)];
    const changes: string[] = [];
    let bytes = 0;
    let isAll = true;
    const painted = [...moved];
    for (const index of orderOf(next.length, scrolling, maxBytes)) {
      const before = moved[index] ?? "";
      const row = next[index] ?? "";
      if (before === row) continue;
      isAll = bytes < maxBytes;
      if (!isAll) break;
      const change = rowChange(before, row, index);
      changes.push(change);
      bytes += change.length;
      painted[index] = row;
    }
    const place = cursor === null ? "" : moveTo(cursor.y, cursor.x);
    const isSwitched = known === null || (place === "") !== (this.#cursor === "");
    if (changes.length === 0 && shift === 0 && !isSwitched && place === this.#cursor) return true;
    const output = [
      known === null ? clear : "",
      shift === 0 ? "" : scrollCodes(scrolling, shift),
      ...changes,
      place,
      isSwitched ? (cursor === null ? hide : show) : "",
    ].join("");
    // A single row is drawn in one piece anyway.
    const isOne = changes.length <= 1 && shift === 0 && known !== null;
    this.#write(isOne ? output : syncOn + output + syncOff);
    this.#rows = painted;
    this.#cursor = place;
    return isAll;
  }
}

/** The rows in the order in which they are written. */
function orderOf(rows: number, scrolling: number, maxBytes: number): number[] {
  const all = Array.from({ length: rows }, (_, row) => row);
  if (maxBytes === Infinity) return all;
  return [...all.slice(scrolling), ...all.slice(0, scrolling).reverse()];
}

/** Bytes of the codes that scroll. */
const scrollBytes = 20;

/**
 * Text that moved between two frames can be scrolled by the terminal itself. Returns the number of
 * rows by which it moved up, if scrolling saves bytes; negative: down; 0: written
 * again where it changed.
 */
function scrolledBy(before: readonly string[], now: readonly string[]): number {
  const rowsOf = Map.groupBy(before.keys(), (row) => before[row] ?? "");
  /** By shift: the length of the rows that would not have to be written again. */
  const kept = new Map<number, number>();
  for (const [row, text] of now.entries())
    for (const was of rowsOf.get(text) ?? [])
      kept.set(was - row, (kept.get(was - row) ?? 0) + text.length);
  let best = { shift: 0, bytes: (kept.get(0) ?? 0) + scrollBytes };
  for (const [shift, bytes] of kept) if (bytes > best.bytes) best = { shift, bytes };
  return best.shift;
}

/** The rows after the terminal scrolled them; the new ones are empty. */
const scroll = (rows: readonly string[], shift: number): string[] =>
  rows.map((_, row) => rows[row + shift] ?? "");

/** Codes that scroll the first `rows` rows of the screen and no others. */
const scrollCodes = (rows: number, shift: number): string =>
  `\x1b[1;${rows}r\x1b[${Math.abs(shift)}${shift > 0 ? "S" : "T"}\x1b[r`;
