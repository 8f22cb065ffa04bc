import { Box } from "ink";
import type { ReactNode } from "react";
import { useScreen } from "../screen-context.ts";
import { LineText, Painted } from "./line.tsx";

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

/** The lines of the user's own status command. */
export function Status(): ReactNode {
  const lines = useScreen((frame) => frame.status);
  return (
    <Box height={lines.length} flexShrink={0} overflow="hidden" aria-hidden>
      <Painted lineAt={(index) => lines[index] ?? ""} rows={lines.length} />
    </Box>
  );
}
