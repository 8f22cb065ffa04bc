import { Box } from "ink";
import type { ReactNode } from "react";
import { useScreen } from "../screen-context.ts";
import { Panel } from "./panel.tsx";
import { Question } from "./question.tsx";

/** The panel or question over the transcript. */
export function Overlay(): ReactNode {
  const view = useScreen((frame) => frame.overlay);
  const rows = useScreen((frame) => frame.overlayRows);
  const hasAir = useScreen((frame) => frame.hasAir);
  if (view === null || rows === 0) return null;
  return (
    <Box
      flexDirection="column"
      flexShrink={0}
      height={rows}
      overflow="hidden"
      marginTop={hasAir ? 1 : 0}
    >
      {view.kind === "question" ? <Question view={view} /> : <Panel view={view} />}
    </Box>
  );
}
