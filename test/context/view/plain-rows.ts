import type { Row } from "../types.ts";

/** Rows as plain values, for comparison: a row object always shows the current state. */
export const plainRows = (rows: readonly Row[]): Row[] =>
  rows.map((row) => ({
    entry: row.entry,
    shown: row.shown,
    by: row.by,
    text: row.text,
    charsByKind: { ...row.charsByKind },
    wholeCharsByKind: { ...row.wholeCharsByKind },
    chars: row.chars,
    wholeChars: row.wholeChars,
    pinned: row.pinned,
  }));
