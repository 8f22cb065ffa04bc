import { Box } from "ink";
import type { ReactNode } from "react";
import { useScreen } from "../screen-context.ts";
import { LineTexts } from "./line.tsx";

/** An empty session: where you are, what was done here last, what to try. */
export const Start = (): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-hidden>
    <LineTexts lines={useScreen((frame) => frame.start)} />
  </Box>
);
