/** Walks over a part of the rows. Long ranges are walked for every plan: nothing is copied. */

import type { Row, View } from "./types.ts";

/**
 * The rows that may be sent, oldest first: from those that a summary hides, only the row that shows
 * it.
 */
export function* sentRows({ rows, after }: Pick<View, "rows" | "after">): Generator<Row> {
  for (let index = 0; index < rows.length; index = after(index)) {
    const row = rows[index];
    if (row) yield row;
  }
}

/** The first row from `from` on that passes the test; -1 if there is none. */
export function findRow(
  rows: readonly Row[],
  from: number,
  test: (row: Row, index: number) => boolean,
): number {
  let index = from;
  for (let row = rows[index]; row; row = rows[++index]) if (test(row, index)) return index;
  return -1;
}

/** The last row before `before` that passes the test; -1 if there is none. */
export function findLastRow(
  rows: readonly Row[],
  before: number,
  test: (row: Row) => boolean,
): number {
  let index = before - 1;
  for (let row = rows[index]; row; row = rows[--index]) if (test(row)) return index;
  return -1;
}

/** The sum of `of` over rows `from` to `to`, without `to`: over those that may be sent. */
export function sumRows(
  { rows, after }: Pick<View, "rows" | "after">,
  from: number,
  to: number,
  of: (row: Row, index: number) => number,
): number {
  let sum = 0;
  for (let index = from; index < to; index = after(index)) {
    const row = rows[index];
    if (row) sum += of(row, index);
  }
  return sum;
}
