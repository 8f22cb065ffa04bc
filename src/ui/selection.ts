/** Text selected with the mouse: drag, also past the edges, or double click for a word. */

import type { Host } from "./host.ts";
import type { MouseEvent } from "./keys.ts";
import type { Theme } from "./theme.ts";
import { compare, type Place } from "./transcript/viewport.ts";

/** A cell of the screen, from 0. */
type ScreenCell = { column: number; row: number };

/** A cell that stays with its text when the transcript scrolls. */
type SelectionPoint = Place & { column: number };

type SelectedRange = { from: SelectionPoint; to: SelectionPoint };

/** A row of the screen, and its place in the transcript. */
type SelectableLine = Place & { text: string };

type SelectableFrame = {
  gutter: number;
  theme: Theme;
  start: readonly unknown[];
  transcript: { places: readonly Place[] };
};

/** Two clicks on a cell within this time select a word. */
const doubleMs = 400;

export class Selection {
  /** The rows of the last frame, and the empty columns at their left. */
  shown: { lines: readonly SelectableLine[]; gutter: number } = { lines: [], gutter: 0 };
  readonly #between: (from: Place, to: Place) => readonly SelectableLine[];
  #range: SelectedRange | null = null;
  #start: SelectionPoint | null = null;
  #lastClick: (ScreenCell & { ms: number }) | null = null;

  /** `between` gives lines of the transcript, including those that are not on the screen. */
  constructor(between: (from: Place, to: Place) => readonly SelectableLine[]) {
    this.#between = between;
  }

  /** Takes the rows of a frame, and returns them with the selection highlighted. */
  show(
    rows: readonly string[],
    { gutter, theme, start, transcript }: SelectableFrame,
  ): readonly string[] {
    // Rows of no line are before or after all of them.
    const findPlace = (row: number): Place =>
      row < start.length
        ? { item: -1, line: row }
        : (transcript.places[row - start.length] ?? { item: Infinity, line: row });
    let lines: SelectableLine[] | undefined;
    this.shown = {
      // Most frames are replaced before anyone asks.
      get lines() {
        return (lines ??= rows.map((text, row) => ({ ...findPlace(row), text })));
      },
      gutter,
    };
    return this.isEmpty ? rows : rows.map((line, row) => this.mark(line, row, theme));
  }

  clear(): void {
    this.#range = null;
    this.#start = null;
  }

  press(cell: ScreenCell, nowMs: number): void {
    const last = this.#lastClick;
    const isDouble =
      last?.row === cell.row && last.column === cell.column && nowMs - last.ms < doubleMs;
    this.#lastClick = isDouble ? null : { ...cell, ms: nowMs };
    this.#start = this.#pointAt(cell);
    const word = isDouble ? wordAt(this.shown.lines[cell.row]?.text ?? "", cell.column) : null;
    this.#range = word && {
      from: { ...this.#start, column: word.from },
      to: { ...this.#start, column: word.to },
    };
  }

  drag(cell: ScreenCell): void {
    const start = this.#start;
    if (start === null) return;
    const end = this.#pointAt(cell);
    const order = comparePoints(end, start);
    if (this.#range === null && order === 0) return;
    this.#range = order < 0 ? { from: end, to: start } : { from: start, to: end };
  }

  /** The selected text; null if there was only a click. */
  release(): string | null {
    this.#start = null;
    return this.#range && this.#readText(this.#range);
  }

  mark(line: string, row: number, theme: Theme): string {
    const place = this.shown.lines[row];
    const columns = this.#range && place && selectColumns(this.#range, place, this.shown.gutter);
    if (!columns) return line;
    const [from, to] = columns;
    const inside = Bun.stripANSI(Bun.sliceAnsi(line, from, to));
    if (inside === "") return line;
    return Bun.sliceAnsi(line, 0, from) + theme.paint("selected", inside) + Bun.sliceAnsi(line, to);
  }

  get isEmpty(): boolean {
    return this.#range === null;
  }

  #pointAt({ column, row }: ScreenCell): SelectionPoint {
    const { item, line } = this.shown.lines[row] ?? { item: Infinity, line: row };
    return { item, line, column };
  }

  #readText(range: SelectedRange): string {
    const { lines, gutter } = this.shown;
    const between = (from: Place, to: Place): SelectableLine[] =>
      this.#between(from, to).map((line) => ({ ...line, text: " ".repeat(gutter) + line.text }));
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

const comparePoints = (a: SelectionPoint, b: SelectionPoint): number =>
  compare(a, b) || a.column - b.column;

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

const stepMs = 50;

type Scrollable = {
  /** Its first row, and the first one below it. */
  edges: { top: number; bottom: number };
  scroll(lines: number): void;
};

/** The left button of the mouse: a click, or a drag that selects and scrolls past the edges. */
export function dragging(
  host: Pick<Host, "nowMs" | "copy" | "flash">,
  selection: Selection,
  scrollable: Scrollable,
) {
  /** The drag started in the part that scrolls. */
  let isInside = false;
  let timer: ReturnType<typeof setInterval> | undefined;

  function drag(event: MouseEvent): void {
    const { top, bottom } = scrollable.edges;
    const step = event.row <= top ? -1 : event.row >= bottom ? 1 : 0;
    if (!isInside || step === 0) return selection.drag(event);
    const select = (): void => {
      const { edges } = scrollable;
      const row = step < 0 ? edges.top : edges.bottom - 1;
      const column = event.row > row ? Infinity : event.row < row ? 0 : event.column;
      selection.drag({ row, column });
    };
    select();
    timer = setInterval(() => {
      // Select what the last step scrolled into view, then take the next one.
      select();
      scrollable.scroll(step);
    }, stepMs);
  }

  return {
    /** Cancels the drag and selects nothing. */
    clear(): void {
      clearInterval(timer);
      selection.clear();
    },
    /** Returns true if the event ended a click. */
    take(event: MouseEvent): boolean {
      clearInterval(timer);
      if (event.action === "press") {
        const { top, bottom } = scrollable.edges;
        isInside = event.row >= top && event.row < bottom;
        selection.press(event, host.nowMs);
      } else if (event.action === "drag") drag(event);
      else {
        const text = selection.release();
        if (text === null) return true;
        if (text !== "") {
          host.copy(text);
          host.flash(`Copied ${text.length.toLocaleString("en")} characters.`);
        }
      }
      return false;
    },
  };
}
