import { Box } from "ink";
import type { ReactNode } from "react";
import { useScreen } from "../screen-context.ts";
import { LineText } from "./line.tsx";
import { Painted } from "./painted.tsx";

/** The conversation: the lines that are scrolled into view, and a row that says what is further down. */
export function Transcript(): ReactNode {
  const { lines, columns, rows, foot } = useScreen((frame) => frame.transcript);
  return (
    <Box flexDirection="column" height={rows} flexShrink={0}>
      <Painted lines={lines} columns={columns} rows={foot === null ? rows : rows - 1} />
      {foot !== null && <LineText line={foot} />}
    </Box>
  );
}
