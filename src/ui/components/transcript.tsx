import { Box, Static, Text, useIsScreenReaderEnabled } from "ink";
import type { ReactNode } from "react";
import type { Layout } from "../budget.ts";
import { toChord } from "../keys.ts";
import { useScreen, useSource, useTranscript } from "../screen-context.ts";
import { useKeys } from "../use-keys.ts";
import { LineText } from "./line.tsx";
import { LiveLines } from "./painted.tsx";

/** The conversation: the visible lines, and a row about the lines below. */
export function Transcript(): ReactNode {
  const { transcript } = useSource().screen;
  useKeys((event) => transcript.pressFocused(event), "transcript");
  useKeys((event) => transcript.press(event), "screen");
  useKeys((event) => transcript.pressLast(toChord(event)), "last");
  return useIsScreenReaderEnabled() ? <Spoken /> : <VisibleLines />;
}

/** For screen readers: every line is complete, is written once, and never changes. */
const Spoken = (): ReactNode => (
  <Static items={[...useScreen((screen) => screen.spoken)]}>
    {(line, index) => <Text key={index}>{line}</Text>}
  </Static>
);

function VisibleLines(): ReactNode {
  const columns = useTranscript((view) => view.columns);
  const rows = useTranscript((view) => view.rows);
  const shift = useTranscript((view) => view.shift);
  const foot = useTranscript((view) => view.foot);
  return (
    <Box
      flexDirection="column"
      width={columns + shift}
      height={rows}
      marginLeft={-shift}
      flexShrink={0}
    >
      <LiveLines of={visibleLines} rows={foot === null ? rows : rows - 1} />
      {foot !== null && (
        <Box marginLeft={shift}>
          <LineText line={foot} />
        </Box>
      )}
    </Box>
  );
}

const visibleLines = ({ transcript }: Layout): readonly string[] => transcript.lines;
