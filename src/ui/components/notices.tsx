import { Box } from "ink";
import type { ReactNode } from "react";
import { layoutCompletion } from "../prompt/prompt-lines.ts";
import { useScreen } from "../screen-context.ts";
import { LineTexts } from "./line.tsx";

/** What the agent is doing now, and what runs in the background. */
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
