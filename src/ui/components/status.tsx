import { Box } from "ink";
import type { ReactNode } from "react";
import { useScreen } from "../screen-context.ts";
import { Painted } from "./painted.tsx";

/** The lines of the user's own status command. */
export function Status(): ReactNode {
  const lines = useScreen((frame) => frame.status);
  return (
    <Box height={lines.length} flexShrink={0} overflow="hidden" aria-hidden>
      <Painted lineAt={(index) => lines[index] ?? ""} rows={lines.length} />
    </Box>
  );
}
