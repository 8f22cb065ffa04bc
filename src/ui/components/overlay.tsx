import { Box } from "ink";
import type { ReactNode } from "react";
import { type Look, LookContext } from "../look.ts";
import { useScreen } from "../screen-context.ts";
import type { OverlayView } from "../overlay.ts";
import { Panel } from "./panel.tsx";
import { Question } from "./question/question.tsx";

/** The panel or question over the transcript. */
export function Overlay(): ReactNode {
  const view = useScreen((_, { panel }) => panel);
  const rows = useScreen((_, { overlay }) => overlay);
  const hasAir = useScreen((_, budget) => budget.hasAir);
  if (view === null || rows === 0) return null;
  return <Shown view={view} height={rows} air={hasAir ? 1 : 0} />;
}

type AloneProps = { view: OverlayView; look: Look; height: number };

/** A panel or question without a screen around it. */
export const OverlayAlone = ({ view, look, height }: AloneProps): ReactNode => (
  <LookContext value={look}>
    <Shown view={view} height={height} air={0} />
  </LookContext>
);

type ShownProps = { view: OverlayView; height: number; air: number };

const Shown = ({ view, height, air }: ShownProps): ReactNode => (
  <Box flexDirection="column" flexShrink={0} height={height} overflow="hidden" marginTop={air}>
    {view.kind === "question" ? <Question view={view} /> : <Panel view={view} />}
  </Box>
);
