import type { Row } from "../../src/context/types.ts";

/** What rows say now, as values that can be compared: a row itself always says what is so. */
export const plainRows = (rows: readonly Row[]): Omit<Row, "digest">[] =>
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
