/** Finds rows, ranges of them, and walks over those. */

import type { EntryId, EntryOf, Span } from "../../protocol/entry.ts";
import type { Row, View } from "../types.ts";

/** The row of an entry; undefined if it is not on the path. */
export function rowOf(
  { rows, indexOf }: Pick<View, "rows" | "indexOf">,
  entry: EntryId,
): Row | undefined {
  const index = indexOf(entry);
  return index === undefined ? undefined : rows[index];
}

/** The cut that changed how a row is shown; undefined if none did. */
export function cutOf(
  view: Pick<View, "rows" | "indexOf">,
  row: Pick<Row, "by"> | undefined,
): EntryOf<"cut"> | undefined {
  const entry = row?.by === undefined ? undefined : rowOf(view, row.by)?.entry;
  return entry?.type === "cut" ? entry : undefined;
}

/** Rows of a view that are, or may be, summarized. */
export type RowRange = {
  readonly view: View;
  /** First and last row. */
  readonly from: number;
  readonly to: number;
};

/** Rows of a span, including those that an earlier summary covers; none if an end is not on the path. */
export function rangeOf(view: View, span: Span): RowRange {
  const from = view.indexOf(span.from);
  const to = view.indexOf(span.to);
  return from === undefined || to === undefined ? { view, from: 0, to: -1 } : { view, from, to };
}

/** The rows themselves, oldest first. */
export const rowsIn = ({ view, from, to }: RowRange): readonly Row[] =>
  view.rows.slice(from, to + 1);

/** The rows of a span. */
export const rowsOf = (view: View, span: Span): readonly Row[] => rowsIn(rangeOf(view, span));

/** Rows of a span that are part of the conversation, sent or summarized. */
export const countMessages = (view: View, span: Span): number =>
  rowsOf(view, span).filter(({ shown }) => shown !== "unsent").length;

/** All rows of a view. */
export const wholeRange = (view: View): RowRange => ({ view, from: 0, to: view.rows.length - 1 });

/** The rows after it. */
export const rowsAfter = ({ view, to }: RowRange): RowRange => ({
  view,
  from: to + 1,
  to: view.rows.length - 1,
});

/** The rows that no summary covers, oldest first. */
export function* uncovered({ view, from, to }: RowRange): Generator<Row> {
  for (let index = from; index <= to; index = view.after(index)) {
    const row = view.rows[index];
    if (row && row.shown !== "covered") yield row;
  }
}

/**
 * The rows from the last to the first, so that a search for the newest of something can stop early.
 */
export function* newestFirst({ view, from, to }: RowRange): Generator<Row> {
  for (let index = to; index >= from; index--) {
    const row = view.rows[index];
    if (row) yield row;
  }
}

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
