/** Text selected with the mouse: drag, also past the edges, or double click for a word. */

import type { Layout } from "./budget.ts";
import type { MouseEvent } from "./keys.ts";
import { restyled } from "./painted-text.ts";
import type { Shared } from "./shared.ts";
import type { TranscriptModel } from "./transcript/transcript-model.ts";
import { compare, type Place, type Visible } from "./transcript/viewport.ts";

/** A cell of the screen, from 0. */
type ScreenCell = { column: number; row: number };

/** A cell that stays with its text when the transcript scrolls. */
type SelectionPoint = Place & { column: number };

type SelectedRange = { from: SelectionPoint; to: SelectionPoint };

type SelectionParts = Pick<Shared, "store" | "actions">;

type SelectableTranscript = Pick<TranscriptModel, "edges" | "scroll" | "between">;

/** Rows of the screen, with their places in the transcript. */
type SelectableLines = Visible["lines"];

/** Two clicks on a cell within this time select a word. */
const doubleMs = 400;

const stepMs = 50;

/** The left button of the mouse: a click, or a drag that selects and scrolls past the edges. */
export class Selection {
  readonly #parts: SelectionParts;
  readonly #transcript: SelectableTranscript;
  /** The rows of the last frame, and the empty columns at their left. */
  #shown: { lines: SelectableLines; gutter: number } = { lines: [], gutter: 0 };
  #range: SelectedRange | null = null;
  #start: SelectionPoint | null = null;
  /** The drag started in the part that scrolls. */
  #isInside = false;
  #lastClick: (ScreenCell & { ms: number }) | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(parts: SelectionParts, transcript: SelectableTranscript) {
    this.#parts = parts;
    this.#transcript = transcript;
  }

  /** Takes the rows of a frame, and returns them with the selection highlighted. */
  show(rows: readonly string[], { budget, transcript }: Layout): readonly string[] {
    const { gutter, start } = budget;
    // Rows of no line are before or after all of them.
    const findPlace = (row: number): Place =>
      row < start
        ? { item: -1, line: row }
        : (transcript.places[row - start] ?? { item: Infinity, line: row });
    let lines: SelectableLines | undefined;
    this.#shown = {
      // Most frames are replaced before anyone asks.
      get lines() {
        return (lines ??= rows.map((text, row) => ({ ...findPlace(row), text })));
      },
      gutter,
    };
    const range = this.#range;
    if (range === null) return rows;
    return this.#shown.lines.map((line) => {
      const columns = selectColumns(range, line, gutter);
      return columns
        ? restyled(line.text, [columns], "selected", this.#parts.store.theme)
        : line.text;
    });
  }

  /** Returns true if the event ended a click. */
  take(event: MouseEvent): boolean {
    clearInterval(this.#timer);
    if (event.action === "press") this.#press(event);
    else if (event.action === "drag") this.#drag(event);
    else return this.#release();
    return false;
  }

  /** Cancels the drag and selects nothing. */
  clear(): void {
    clearInterval(this.#timer);
    this.#range = null;
    this.#start = null;
  }

  #press({ column, row }: ScreenCell): void {
    const { top, bottom } = this.#transcript.edges;
    this.#isInside = row >= top && row < bottom;
    const { nowMs } = this.#parts.store;
    const last = this.#lastClick;
    const isDouble = last?.row === row && last.column === column && nowMs - last.ms < doubleMs;
    this.#lastClick = isDouble ? null : { column, row, ms: nowMs };
    this.#start = this.#pointAt({ column, row });
    const word = isDouble ? wordAt(this.#shown.lines[row]?.text ?? "", column) : null;
    this.#range = word && {
      from: { ...this.#start, column: word.from },
      to: { ...this.#start, column: word.to },
    };
  }

  #drag(cell: ScreenCell): void {
    const { top, bottom } = this.#transcript.edges;
    const step = cell.row <= top ? -1 : cell.row >= bottom ? 1 : 0;
    if (!this.#isInside || step === 0) return this.#select(cell);
    const select = (): void => {
      const { edges } = this.#transcript;
      const row = step < 0 ? edges.top : edges.bottom - 1;
      const column = cell.row > row ? Infinity : cell.row < row ? 0 : cell.column;
      this.#select({ row, column });
    };
    select();
    this.#timer = setInterval(() => {
      // Select what the last step scrolled into view, then take the next one.
      select();
      this.#transcript.scroll(step);
    }, stepMs);
  }

  /** Selects from where the button was pressed to a cell. */
  #select(cell: ScreenCell): void {
    const start = this.#start;
    if (start === null) return;
    const end = this.#pointAt(cell);
    const order = compare(end, start) || end.column - start.column;
    if (this.#range === null && order === 0) return;
    this.#range = order < 0 ? { from: end, to: start } : { from: start, to: end };
  }

  #release(): boolean {
    this.#start = null;
    if (this.#range === null) return true;
    const text = this.#readText(this.#range);
    if (text === "") return false;
    this.#parts.actions.copy(text, "selection");
    return false;
  }

  #pointAt({ column, row }: ScreenCell): SelectionPoint {
    const { item, line } = this.#shown.lines[row] ?? { item: Infinity, line: row };
    return { item, line, column };
  }

  #readText(range: SelectedRange): string {
    const { lines, gutter } = this.#shown;
    const between = (from: Place, to: Place): SelectableLines =>
      this.#transcript
        .between(from, to)
        .map((line) => ({ ...line, text: " ".repeat(gutter) + line.text }));
    const first = lines.find(({ item }) => item >= 0);
    const last = lines.findLast(({ item }) => item !== Infinity);
    // Text that was scrolled out of view.
    const above = first && compare(range.from, first) < 0 ? between(range.from, first) : [];
    const below = last && compare(last, range.to) < 0 ? between(last, range.to).slice(1) : [];
    return [...above.slice(0, -1), ...lines, ...below]
      .toSorted(compare)
      .flatMap((line) => {
        const columns = selectColumns(range, line, gutter);
        return columns ? [Bun.sliceAnsi(Bun.stripANSI(line.text), ...columns).trimEnd()] : [];
      })
      .join("\n");
  }
}

/** The selected columns of a row, without the last; null: none. */
function selectColumns(
  { from, to }: SelectedRange,
  place: Place,
  gutter: number,
): [from: number, to: number] | null {
  const first = compare(place, from);
  const last = compare(place, to);
  if (first < 0 || last > 0) return null;
  return [first === 0 ? from.column : gutter, last === 0 ? to.column + 1 : Infinity];
}

/** A double click selects letters, digits, and the signs in paths and names. */
const word = /[\p{L}\p{N}_./~@:-]+/gu;

function wordAt(styled: string, column: number): { from: number; to: number } | null {
  const line = Bun.stripANSI(styled);
  for (const { index, 0: text } of line.matchAll(word)) {
    const from = Bun.stringWidth(line.slice(0, index));
    const to = from + Bun.stringWidth(text) - 1;
    if (column >= from && column <= to) return { from, to };
  }
  return null;
}
