/** Text selected with the mouse: drag, or double click for a word. It is copied on release. */

import type { Theme } from "./theme.ts";

/** A cell of the screen, from 0. */
type Cell = { column: number; row: number };

type Range = { from: Cell; to: Cell };

type Shown = { rows: readonly string[]; gutter: number };

/** Two clicks on a cell within this time select a word. */
const doubleMs = 400;

export class Selection {
  /** The last frame: its rows, and the empty columns at their left. */
  shown: Shown = { rows: [], gutter: 0 };
  #range: Range | null = null;
  #start: Cell | null = null;
  #lastClick: (Cell & { ms: number }) | null = null;

  clear(): void {
    this.#range = null;
    this.#start = null;
  }

  /** Returns true if the click selected a word. */
  press(cell: Cell, nowMs: number): boolean {
    const last = this.#lastClick;
    const isDouble =
      last?.row === cell.row && last.column === cell.column && nowMs - last.ms < doubleMs;
    this.#lastClick = isDouble ? null : { ...cell, ms: nowMs };
    this.#start = cell;
    this.#range = isDouble ? wordAt(this.shown.rows[cell.row] ?? "", cell) : null;
    return this.#range !== null;
  }

  drag(cell: Cell): void {
    const start = this.#start;
    if (start === null || (this.#range === null && isSame(start, cell))) return;
    this.#range = isBefore(cell, start) ? { from: cell, to: start } : { from: start, to: cell };
  }

  /** The selected text; null if there was only a click. */
  release(): string | null {
    this.#start = null;
    return this.#range && textIn(this.shown, this.#range);
  }

  /** A row of the screen with the selection highlighted. */
  mark(line: string, row: number, theme: Theme): string {
    const columns = this.#range && columnsIn(this.#range, row, this.shown.gutter);
    if (!columns) return line;
    const [from, to] = columns;
    const inside = Bun.stripANSI(Bun.sliceAnsi(line, from, to));
    if (inside === "") return line;
    return Bun.sliceAnsi(line, 0, from) + theme.paint("selected", inside) + Bun.sliceAnsi(line, to);
  }

  get isEmpty(): boolean {
    return this.#range === null;
  }
}

const isSame = (a: Cell, b: Cell): boolean => a.row === b.row && a.column === b.column;

const isBefore = (a: Cell, b: Cell): boolean =>
  a.row < b.row || (a.row === b.row && a.column < b.column);

/** The selected columns of a row, without the last; null: none. */
function columnsIn(
  { from, to }: Range,
  row: number,
  gutter: number,
): [from: number, to: number] | null {
  if (row < from.row || row > to.row) return null;
  return [row === from.row ? from.column : gutter, row === to.row ? to.column + 1 : Infinity];
}

function textIn({ rows, gutter }: Shown, range: Range): string {
  const lines: string[] = [];
  for (let row = range.from.row; row <= range.to.row; row++) {
    const [from, to] = columnsIn(range, row, gutter) ?? [0, 0];
    lines.push(Bun.sliceAnsi(Bun.stripANSI(rows[row] ?? ""), from, to).trimEnd());
  }
  return lines.join("\n");
}

/** What a double click selects: letters, digits, and what paths and names are made of. */
const word = /[\p{L}\p{N}_./~@:-]+/gu;

function wordAt(styled: string, { column, row }: Cell): Range | null {
  const line = Bun.stripANSI(styled);
  for (const { index, 0: text } of line.matchAll(word)) {
    const from = Bun.stringWidth(line.slice(0, index));
    const to = from + Bun.stringWidth(text) - 1;
    if (column >= from && column <= to)
      return { from: { row, column: from }, to: { row, column: to } };
  }
  return null;
}
