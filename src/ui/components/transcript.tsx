import { Box, Static, Text, useIsScreenReaderEnabled } from "ink";
import type { ReactNode } from "react";
import { useScreen } from "../screen-context.ts";
import { LineText, Painted } from "./line.tsx";

/** The conversation: the lines that are scrolled into view, and a row that says what is further down. */
export const Transcript = (): ReactNode =>
  useIsScreenReaderEnabled() ? <Spoken /> : <VisibleLines />;

/** For screen readers: every line is complete, is written once, and never changes. */
const Spoken = (): ReactNode => (
  <Static items={[...useScreen((frame) => frame.spoken)]}>
    {(line, index) => <Text key={index}>{line}</Text>}
  </Static>
);

function VisibleLines(): ReactNode {
  const { lines, columns, rows, foot } = useScreen((frame) => frame.transcript);
  return (
    <Box flexDirection="column" height={rows} flexShrink={0}>
      <Painted lines={lines} columns={columns} rows={foot === null ? rows : rows - 1} />
      {foot !== null && <LineText line={foot} />}
    </Box>
  );
}
