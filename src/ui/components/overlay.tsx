import { Box } from "ink";
import type { ReactNode } from "react";
import { useScreen, useSource } from "../screen-context.ts";
import type { Panel } from "../types.ts";

/** The panel over the transcript. */
export function Overlay(): ReactNode {
  const { overlay } = useSource().screen;
  const isCovered = useScreen((_, budget) => budget.question !== null);
  const panel = useScreen(({ store }) => store.state.panel);
  const rows = useScreen((_, budget) => budget.overlay);
  const hasAir = useScreen((_, budget) => budget.hasAir);
  return (
    panel && (
      // A question covers it; it stays as it is until the answer.
      <Box
        flexDirection="column"
        flexShrink={0}
        display={isCovered ? "none" : "flex"}
        height={rows}
        marginTop={hasAir ? 1 : 0}
        overflow="hidden"
      >
        {/* Its height is its own, whatever is shown of it. */}
        <Box ref={overlay.mountPanel} position="absolute" width="100%" flexDirection="column">
          <OpenPanel {...panel} />
        </Box>
      </Box>
    )
  );
}

function OpenPanel({ kind, text = "" }: Panel): ReactNode {
  const { panels } = useSource().screen;
  const row = panels.find((panel) => panel.kind === kind);
  return row && <row.Panel key={`${kind} ${text}`} text={text} />;
}
