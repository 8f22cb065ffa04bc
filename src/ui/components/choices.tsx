import { Box } from "ink";
import type { ReactNode } from "react";
import { type Line, span } from "../line.ts";
import type { ChoiceRow } from "../questions/question.ts";
import { LineText } from "./line.tsx";

type ChoicesProps = { rows: readonly ChoiceRow[]; isWaiting: boolean; hint: Line | null };

/** The answers, dimmed while keys do not answer. */
export const Choices = ({ rows, isWaiting, hint }: ChoicesProps): ReactNode => (
  <Box flexDirection="column" flexShrink={0} aria-role="radiogroup">
    {rows.map(({ text, isSelected }, index) => (
      <Box key={index} aria-role="radio" aria-state={{ selected: isSelected }}>
        <LineText
          line={isSelected ? span("selected", text) : isWaiting ? span("dim", text) : text}
        />
      </Box>
    ))}
    {hint !== null && <LineText line={hint} />}
  </Box>
);
