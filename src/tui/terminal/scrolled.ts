/** Text that moved up or down between two frames, which a terminal can scroll by itself. */

/** Bytes of the codes that scroll. */
const scrollBytes = 20;

/**
 * The number of rows by which the text moved up, if scrolling saves bytes; negative: down; 0: written
 * again where it changed.
 */
export function scrolledBy(before: readonly string[], now: readonly string[]): number {
  const kept = keptBytes(before, now, 0);
  if (kept === now.join("").length) return 0;
  let best = { shift: 0, bytes: kept + scrollBytes };
  for (let shift = 1 - now.length; shift < now.length; shift++) {
    const bytes = keptBytes(before, now, shift);
    if (bytes > best.bytes) best = { shift, bytes };
  }
  return best.shift;
}

/** The length of the rows that need not be written if the text is first moved up by `shift`. */
function keptBytes(before: readonly string[], now: readonly string[], shift: number): number {
  let bytes = 0;
  for (const [row, text] of now.entries()) if (before[row + shift] === text) bytes += text.length;
  return bytes;
}

/** The rows after the terminal scrolled them; the new ones are empty. */
export const scroll = (rows: readonly string[], shift: number): string[] =>
  rows.map((_, row) => rows[row + shift] ?? "");

/** Codes that scroll the first `rows` rows of the screen and no others. */
export const scrollCodes = (rows: number, shift: number): string =>
  `\x1b[1;${rows}r\x1b[${Math.abs(shift)}${shift > 0 ? "S" : "T"}\x1b[r`;
