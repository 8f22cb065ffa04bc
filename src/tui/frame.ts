/** The parts of the screen put together, a string for each row. */

import type { ScreenController } from "./controller.ts";
import { drawScreen } from "./screen-frame.ts";
import type { Frame } from "./terminal/painter.ts";
import type { Place } from "./transcript/viewport.ts";
import { transcriptRows } from "./transcript/transcript-rows.ts";

/** A smaller terminal cannot hold a prompt and the meter. */
const smallest = { columns: 20, rows: 5 };

export function frameOf(controller: ScreenController, columns: number, rows: number): Frame {
  if (columns < smallest.columns || rows < smallest.rows)
    return { rows: filled([`Too small: ${columns}x${rows}`], rows), scrolling: 0, cursor: null };
  const frame = drawScreen(controller, columns, rows);
  const above = [...frame.start, ...transcriptRows(frame.transcript, frame, controller.theme)];
  const gutter = " ".repeat(frame.gutter);
  const parts = [
    ...above,
    ...frame.panel,
    ...(frame.field === null ? [] : [frame.field.draw(frame.columns)]),
    ...frame.above,
    ...frame.prompt,
    frame.meter,
  ].map((line) => (line === "" ? "" : gutter + line));
  const all = filled(parts, rows);
  const { selection, theme } = controller;
  const { visible } = frame.transcript;
  selection.shown = {
    rows: all,
    places: all.map((_, row) => placeOf(row, frame.start.length, visible.lines)),
    gutter: frame.gutter,
    between: (from, to) =>
      controller.transcript
        .between(from, to)
        .map(({ text, ...place }) => ({ place, text: gutter + text })),
  };
  const marked = selection.isEmpty ? all : all.map((line, row) => selection.mark(line, row, theme));
  return { rows: marked, scrolling: above.length, cursor: frame.cursor };
}

/** What a row shows: a line of the transcript, or something before or after it. */
function placeOf(row: number, top: number, lines: readonly Place[]): Place {
  if (row < top) return { item: -1, line: row };
  return lines[row - top] ?? { item: Infinity, line: row };
}

const filled = (lines: readonly string[], rows: number): string[] =>
  Array.from({ length: rows }, (_, row) => lines[row] ?? "");
