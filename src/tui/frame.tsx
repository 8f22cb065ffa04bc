/** The parts of the screen put together, a string for each row. */

import { Box, renderToString, Text } from "ink";
import TextInput from "ink-text-input";
import type { ScreenController } from "./controller.ts";
import type { TextField } from "./panels/panel.ts";
import { drawScreen } from "./screen-frame.ts";
import type { Frame } from "./terminal/painter.ts";
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
    ...(frame.field === null ? [] : [fieldRow(frame.field, frame.columns)]),
    ...frame.above,
    ...frame.prompt,
    frame.meter,
  ].map((line) => (line === "" ? "" : gutter + line));
  const all = filled(parts, rows);
  const { selection, theme } = controller;
  selection.shown = { rows: all, gutter: frame.gutter };
  const marked = selection.isEmpty ? all : all.map((line, row) => selection.mark(line, row, theme));
  return { rows: marked, scrolling: above.length, cursor: frame.cursor };
}

const filled = (lines: readonly string[], rows: number): string[] =>
  Array.from({ length: rows }, (_, row) => lines[row] ?? "");

/** Only draws: the panel has the keys, so that none is lost while React renders. */
function fieldRow({ label, value, placeholder, mask }: TextField, columns: number): string {
  const field = (
    <Box height={1} overflow="hidden">
      <Text dimColor>{label}</Text>
      <TextInput
        value={value}
        placeholder={placeholder}
        onChange={() => {}}
        {...(mask === undefined ? {} : { mask })}
      />
    </Box>
  );
  return renderToString(field, { columns });
}
