import { Box } from "ink";
import type { ReactNode } from "react";
import { span } from "../spans.ts";
import type { ListRow } from "../panels/panel.ts";
import { LineText } from "./line.tsx";

type RowsProps = { rows: readonly ListRow[] };

/** Rows of which one is chosen. */
export const List = ({ rows }: RowsProps): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-role="listbox">
    {rows.map((row, index) => drawRow(row, "option", index))}
  </Box>
);

/** The answers to a question. */
export const Choices = ({ rows }: RowsProps): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-role="radiogroup">
    {rows.map((row, index) => drawRow(row, "radio", index))}
  </Box>
);

const drawRow = ({ line, isChosen }: ListRow, role: "option" | "radio", key: number): ReactNode => (
  <Box key={key} aria-role={role} aria-state={{ selected: isChosen }}>
    <LineText line={isChosen && typeof line === "string" ? span("selected", line) : line} />
  </Box>
);
