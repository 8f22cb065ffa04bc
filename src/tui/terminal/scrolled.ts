/** Text that moved up or down between two frames, which a terminal can scroll by itself. */

/** Bytes of the codes that scroll. */
const scrollBytes = 20;

/**
 * The number of rows by which the text moved up, if scrolling saves bytes; negative: down; 0: written
 * again where it changed.
 */
export function scrolledBy(before: readonly string[], now: readonly string[]): number {
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
export const scroll = (rows: readonly string[], shift: number): string[] =>
  rows.map((_, row) => rows[row + shift] ?? "");

/** Codes that scroll the first `rows` rows of the screen and no others. */
export const scrollCodes = (rows: number, shift: number): string =>
  `\x1b[1;${rows}r\x1b[${Math.abs(shift)}${shift > 0 ? "S" : "T"}\x1b[r`;
