/** Lays out the prompt. Pure. */

import { graphemes } from "../../base/clip.ts";
import { fit } from "../painted-text.ts";
import { sanitize } from "../sanitize.ts";
import type { Editor } from "./editor.ts";

export const promptMark = "❯ ";

const maxRows = 10;

export type PromptView = {
  /** The text that is typed; empty while the hint is shown. */
  lines: readonly string[];
  hint: string;
  /** The text begins in the first of its lines. */
  isTop: boolean;
  cursor: { column: number; row: number };
};

/** At most `rows` lines, around the cursor. */
export function layoutPrompt(
  editor: Editor,
  hint: string,
  columns: number,
  rows: number,
): PromptView {
  const width = Math.max(4, columns - promptMark.length);
  const { lines, row, column } = wrapText(editor.text, editor.cursor, width);
  const height = Math.max(1, Math.min(maxRows, rows, lines.length));
  const from = Math.max(0, Math.min(row - height + 1, lines.length - height));
  const shown = lines.slice(from, from + height).map(({ text }) => sanitize(text));
  return {
    lines: shown,
    hint: editor.text === "" ? fit(hint, width) : "",
    isTop: from === 0,
    cursor: { column: promptMark.length + column, row: row - from },
  };
}

type ScreenLine = {
  text: string;
  start: number;
};

/** Breaks at `width` columns, even inside a word, so that text does not jump while typing. */
function wrapText(text: string, cursor: number, width: number) {
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
