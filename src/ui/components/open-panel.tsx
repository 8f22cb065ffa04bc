import { Box } from "ink";
import type { ReactNode } from "react";
import { useScreen, useSource } from "../screen-context.ts";

/** The panel over the transcript. */
export function Panel(): ReactNode {
  const { overlay, panels } = useSource().screen;
  const isCovered = useScreen((_, budget) => budget.question !== null);
  const panel = useScreen(({ store }) => store.state.panel);
  const rows = useScreen((_, budget) => budget.overlay);
  const hasAir = useScreen((_, budget) => budget.hasAir);
  const row = panels.find(({ kind }) => kind === panel?.kind);
  const { text = "" } = panel ?? {};
  return (
    row && (
      // Covered by a question: keep it mounted with its state.
      <Box
        flexDirection="column"
        flexShrink={0}
        display={isCovered ? "none" : "flex"}
        height={rows}
        marginTop={hasAir ? 1 : 0}
        overflow="hidden"
      >
        {/* Laid out at full height, however few rows are visible. */}
        <Box ref={overlay.mountPanel} position="absolute" width="100%" flexDirection="column">
          <row.Panel key={`${row.kind} ${text}`} argument={text} />
        </Box>
      </Box>
    )
  );
}
