/** Wraps the editor's text and locates the cursor in it. */

import { graphemes } from "../../protocol/graphemes.ts";

type ScreenLine = {
  text: string;
  /** Index of the first character in the full text. */
  start: number;
};

type Wrapped = { lines: ScreenLine[]; row: number; column: number };

/** Breaks at `width` columns, even inside a word, so that text does not jump while typing. */
export function wrapText(text: string, cursor: number, width: number): Wrapped {
  const lines: ScreenLine[] = [];
  let at = 0;
  for (const line of text.split("\n")) {
    for (const piece of breakLine(line, width))
      lines.push({ text: piece.text, start: at + piece.start });
    at += line.length + 1;
  }
  const row = Math.max(
    0,
    lines.findLastIndex(({ start }) => start <= cursor),
  );
  const line = lines[row] ?? { text: "", start: 0 };
  return { lines, row, column: Bun.stringWidth(text.slice(line.start, cursor)) };
}

function breakLine(line: string, width: number): ScreenLine[] {
  if (Bun.stringWidth(line) < width) return [{ text: line, start: 0 }];
  const pieces: ScreenLine[] = [];
  let text = "";
  let start = 0;
  let used = 0;
  for (const { segment, index } of graphemes(line)) {
    const size = Bun.stringWidth(segment);
    // Leave a column for the cursor after the last character.
    if (used + size > width - 1 && text !== "") {
      pieces.push({ text, start });
      text = "";
      start = index;
      used = 0;
    }
    text += segment;
    used += size;
  }
  return [...pieces, { text, start }];
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
