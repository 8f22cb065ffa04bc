/** Wraps the editor's text and locates the cursor in it. */

import { graphemes } from "../../base/clip.ts";

type ScreenLine = {
  text: string;
  /** Index of the first character in the full text. */
  start: number;
};

/** Breaks at `width` columns, even inside a word, so that text does not jump while typing. */
export function wrapText(text: string, cursor: number, width: number) {
  const lines: ScreenLine[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    for (const piece of breakLine(line, width))
      lines.push({ text: piece.text, start: at + piece.start });
    at += line.length + 1;
  }
  const row = lines.findLastIndex(({ start }) => start <= cursor);
  const { start } = lines[row] ?? { start: 0 };
  return { lines, row, column: Bun.stringWidth(text.slice(start, cursor)) };
}

function breakLine(line: string, width: number): ScreenLine[] {
  if (Bun.stringWidth(line) < width) return [{ text: line, start: 0 }];
  let piece = { text: "", start: 0 };
  const pieces = [piece];
  let used = 0;
  for (const { segment, index } of graphemes(line)) {
    const size = Bun.stringWidth(segment);
    // Leave a column for the cursor after the last character.
    if (used + size > width - 1 && piece.text !== "") {
      piece = { text: "", start: index };
      pieces.push(piece);
      used = 0;
    }
    piece.text += segment;
    used += size;
  }
  return pieces;
}

/** The index in the same column one line up (-1) or down (1); null if there is no such line. */
export function verticalMove(
  text: string,
  cursor: number,
  width: number,
  delta: -1 | 1,
): number | null {
  const { lines, row, column } = wrapText(text, cursor, width);
  const line = lines[row + delta];
  if (!line) return null;
  let index = line.start;
  let at = 0;
  for (const { segment } of graphemes(line.text)) {
    const size = Bun.stringWidth(segment);
    if (at + size > column) break;
    at += size;
    index += segment.length;
  }
  return index;
}
