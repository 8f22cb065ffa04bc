/** The parts of the screen besides panels and questions. */

import { Box, Static, Text, useIsScreenReaderEnabled } from "ink";
import type { ReactNode } from "react";
import { useScreen, useSource } from "../screen-context.ts";
import { LineText, LineTexts, Painted, Rows } from "./line.tsx";
import type { Frame } from "../layout.ts";
import { layoutCompletion, promptMark } from "../prompt/prompt-lines.ts";
import { span } from "../line.ts";

/** The agent's activity, and background work. */
export const Activity = (): ReactNode => <Rows lines={useScreen((frame) => frame.activity)} />;

/** Above the prompt: a failure, the queue, messages of the moment. */
export const Notices = (): ReactNode => <Rows lines={useScreen((frame) => frame.notices)} />;

/** The menu above the prompt: commands, files, or earlier prompts. */
export function Completion(): ReactNode {
  const completion = useScreen((frame) => frame.completion);
  const columns = useScreen(({ columns: all, gutter }) => all - 2 * gutter);
  if (completion === null) return null;
  return (
    <Box flexDirection="column" height={completion.rows} flexShrink={0}>
      <LineTexts lines={layoutCompletion(completion.list, columns, completion.rows)} />
    </Box>
  );
}

export function Prompt(): ReactNode {
  const rows = useScreen(({ prompt }) => prompt.lines.length);
  const hint = useScreen(({ prompt }) => prompt.hint);
  const isTop = useScreen(({ prompt }) => prompt.isTop);
  const isRoomy = useScreen((frame) => frame.isRoomy);
  return (
    <Box flexDirection="column" flexShrink={0} aria-role="textbox">
      {isRoomy && <Rule />}
      <Box height={rows}>
        <Box width={promptMark.length} height={1} flexShrink={0} aria-hidden>
          {isTop && <LineText line={span("user", promptMark)} />}
        </Box>
        <Box flexGrow={1} height={rows}>
          {hint === "" ? (
            <LiveLines of={typedLines} rows={rows} />
          ) : (
            <LineText line={span("dim", hint)} />
          )}
        </Box>
      </Box>
      {isRoomy && <Rule />}
    </Box>
  );
}

const typedLines = ({ prompt }: Frame): readonly string[] => prompt.lines;

/**
 * Lines that are read when rows are made of what Ink laid out. They change with every key and token, mostly
 * alone, and then nothing needs to be rendered.
 */
function LiveLines({ of, rows }: { of(frame: Frame): readonly string[]; rows: number }): ReactNode {
  const { frame, drawsRows } = useSource();
  // Ink's own output is drawn only after something was rendered.
  useScreen((newest) => (drawsRows() ? null : of(newest)));
  const lineAt = (index: number): string => {
    const newest = frame();
    return (newest && of(newest)[index]) ?? "";
  };
  return <Painted lineAt={lineAt} rows={rows} />;
}

function Rule(): ReactNode {
  const columns = useScreen(({ columns: all, gutter }) => all - 2 * gutter);
  return (
    <Box aria-hidden>
      <LineText line={span("dim", "─".repeat(columns))} />
    </Box>
  );
}

/** An empty session: where you are, what was done here last, what to try. */
export const Start = (): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-hidden>
    <LineTexts lines={useScreen((frame) => frame.start)} />
  </Box>
);

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
  const columns = useScreen(({ transcript }) => transcript.columns);
  const rows = useScreen(({ transcript }) => transcript.rows);
  const foot = useScreen(({ transcript }) => transcript.foot);
  return (
    <Box flexDirection="column" width={columns} height={rows} flexShrink={0}>
      <LiveLines of={visibleLines} rows={foot === null ? rows : rows - 1} />
      {foot !== null && <LineText line={foot} />}
    </Box>
  );
}

const visibleLines = ({ transcript }: Frame): readonly string[] => transcript.lines;
