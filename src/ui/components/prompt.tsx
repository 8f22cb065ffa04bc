import { Box } from "ink";
import type { ReactNode } from "react";
import type { Layout } from "../budget.ts";
import { span } from "../spans.ts";
import { promptMark } from "../prompt/prompt-lines.ts";
import { useColumns } from "../look.ts";
import { useScreen, useSource } from "../screen-context.ts";
import { useKeys } from "../use-keys.ts";
import { LineText } from "./line.tsx";
import { LiveLines } from "./painted.tsx";

/** The message that is being typed, between rules where there is room. */
export function Prompt(): ReactNode {
  const { prompt: model } = useSource().screen;
  useKeys(model.press, "prompt");
  const rows = useScreen((_, { prompt }) => prompt.lines.length);
  const hint = useScreen((_, { prompt }) => prompt.hint);
  const isTop = useScreen((_, { prompt }) => prompt.isTop);
  const isRoomy = useScreen((_, budget) => budget.isRoomy);
  return (
    <Box flexDirection="column" flexShrink={0} aria-role="textbox">
      {isRoomy && <Rule />}
      <Box height={rows}>
        <Box width={promptMark.length} height={1} flexShrink={0} aria-hidden>
          {isTop && <LineText line={span("user", promptMark)} />}
        </Box>
        <Box flexGrow={1} height={rows}>
          {hint === "" ? (
            <LiveLines of={typedLines} rows={rows} />
          ) : (
            <LineText line={span("dim", hint)} />
          )}
        </Box>
      </Box>
      {isRoomy && <Rule />}
    </Box>
  );
}

const typedLines = ({ budget: { prompt } }: Layout): readonly string[] => prompt.lines;

const Rule = (): ReactNode => (
  <Box aria-hidden>
    <LineText line={span("dim", "─".repeat(useColumns()))} />
  </Box>
);
