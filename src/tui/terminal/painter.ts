/**
 * Draws frames: of each one only what differs from the one before, scrolled where text moved. Ink lays
 * out, parses and compares the whole screen for every frame, which takes more time than all else that a
 * key or a streamed token causes.
 */

import { fit } from "../wrap.ts";
import { moveTo, rowChange } from "./row-change.ts";
import { scroll, scrollCodes, scrolledBy } from "./scrolled.ts";

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

export class Painter {
  readonly #write: (output: string) => void;
  /** What is on the screen; null: anything may be. */
  #rows: readonly string[] | null = null;
  #cursor = "";

  constructor(write: (output: string) => void) {
    this.#write = write;
  }

  /** Something else was drawn, or the size changed: the next frame is written in full. */
  forget(): void {
    this.#rows = null;
  }

  paint({ rows, scrolling, cursor }: Frame, columns: number): void {
    const known = this.#rows?.length === rows.length ? this.#rows : null;
    const shown = known ?? rows.map(() => "");
    const next = rows.map((row, index) => (shown[index] === row ? row : fit(row, columns)));
    const top = shown.slice(0, scrolling);
    const shift = scrolledBy(top, next.slice(0, scrolling));
    const moved = shift === 0 ? shown : [...scroll(top, shift), ...shown.slice(scrolling)];
    const changes = next.flatMap((row, index) => {
      const before = moved[index] ?? "";
      return before === row ? [] : [rowChange(before, row, index)];
    });
    const place = cursor === null ? "" : moveTo(cursor.y, cursor.x);
    const isSwitched = known === null || (place === "") !== (this.#cursor === "");
    if (changes.length === 0 && shift === 0 && !isSwitched && place === this.#cursor) return;
    const output = [
      known === null ? clear : "",
      shift === 0 ? "" : scrollCodes(scrolling, shift),
      ...changes,
      place,
      isSwitched ? (cursor === null ? hide : show) : "",
    ].join("");
    // One row is drawn at once anyway.
    const isOne = changes.length <= 1 && shift === 0 && known !== null;
    this.#write(isOne ? output : syncOn + output + syncOff);
    this.#rows = next;
    this.#cursor = place;
  }
}
