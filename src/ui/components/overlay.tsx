import { Box } from "ink";
import type { ReactNode } from "react";
import { type Look, LookContext } from "../look.ts";
import { questionHeight, type QuestionView } from "./question/question-model.ts";
import { useScreen, useSource } from "../screen-context.ts";
import { useKeys } from "../use-keys.ts";
import type { Panel } from "../types.ts";
import { Question } from "./question/question.tsx";

/** The panel or question over the transcript. */
export function Overlay(): ReactNode {
  const { overlay } = useSource().screen;
  const question = useScreen((_, budget) => budget.question);
  const panel = useScreen(({ store }) => store.state.panel);
  const rows = useScreen((_, budget) => budget.overlay);
  const hasAir = useScreen((_, budget) => budget.hasAir);
  useKeys((event, isLate) => overlay.question?.press(event, isLate) ?? false, "question");
  const top = hasAir ? 1 : 0;
  return (
    <>
      {question && (
        <Box {...clipped} height={rows} marginTop={top}>
          <Question view={question} />
        </Box>
      )}
      {panel && (
        // A question covers it; it stays as it is until the answer.
        <Box {...clipped} display={question ? "none" : "flex"} height={rows} marginTop={top}>
          {/* Its height is its own, whatever is shown of it. */}
          <Box ref={overlay.mountPanel} position="absolute" width="100%" flexDirection="column">
            <OpenPanel {...panel} />
          </Box>
        </Box>
      )}
    </>
  );
}

const clipped = { flexDirection: "column", flexShrink: 0, overflow: "hidden" } as const;

/** Only loaded for the first panel. */
const panels = (): typeof import("../panels/open-panel.tsx") => require("../panels/open-panel.tsx");

function OpenPanel({ kind, text = "" }: Panel): ReactNode {
  const Opened = panels().panels[kind];
  return <Opened key={`${kind} ${text}`} text={text} />;
}

type AloneProps = { view: QuestionView; look: Look; rows: number };

/** A question without a screen around it. */
export const QuestionAlone = ({ view, look, rows }: AloneProps): ReactNode => (
  <LookContext value={look}>
    <Box {...clipped} height={Math.min(rows, questionHeight(view))}>
      <Question view={view} />
    </Box>
  </LookContext>
);
