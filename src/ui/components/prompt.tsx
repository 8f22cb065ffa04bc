import { Box } from "ink";
import type { ReactNode } from "react";
import { span } from "../line.ts";
import { useScreen } from "../screen-context.ts";
import { LineText, LineTexts } from "./line.tsx";

/** Where the message is written, between two rules. */
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
