import type { Row } from "./types.ts";

/** The sum of `of` over rows `from` to `to`, without `to`. Plans add up long ranges: nothing is copied. */
export function sumRows(
  rows: readonly Row[],
  from: number,
  to: number,
  of: (row: Row, index: number) => number,
): number {
  let sum = 0;
  const end = Math.min(to, rows.length);
  for (let index = from; index < end; index++) {
    const row = rows[index];
    if (row) sum += of(row, index);
  }
  return sum;
}
