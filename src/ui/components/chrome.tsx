/** The rows around the conversation. */

import { Box } from "ink";
import type { ReactNode } from "react";
import { useScreen } from "../screen-context.ts";
import { LineText, LineTexts } from "./line.tsx";
import { layoutCompletion } from "../prompt/prompt-lines.ts";
import { span } from "../line.ts";

// Hidden from screen readers, which would read it out after every key; /context says it.
/** Draws the context meter: how full the window is, what comes next, cache, cost, model and mode. */
export const Meter = (): ReactNode => {
  const line = useScreen((frame) => frame.meter);
  return (
    <Box height={1} flexShrink={0} overflow="hidden" aria-hidden>
      <LineText line={line} />
    </Box>
  );
};

export function Activity(): ReactNode {
  const lines = useScreen((frame) => frame.activity);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <LineTexts lines={lines} />
    </Box>
  );
}

/** Above the prompt: a failure, the queue, messages of the moment. */
export function Notices(): ReactNode {
  const lines = useScreen((frame) => frame.notices);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <LineTexts lines={lines} />
    </Box>
  );
}

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
  const { lines } = useScreen((frame) => frame.prompt);
  const isRoomy = useScreen((frame) => frame.isRoomy);
  return (
    <Box flexDirection="column" flexShrink={0} aria-role="textbox">
      {isRoomy && <Rule />}
      <LineTexts lines={lines} />
      {isRoomy && <Rule />}
    </Box>
  );
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
