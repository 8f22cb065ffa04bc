import { Box, Text, useIsScreenReaderEnabled } from "ink";
import type { ReactNode } from "react";
import { fit } from "../../painted-text.ts";
import { frameSize, questionHeight, type QuestionView } from "./question-model.ts";
import { type Look, LookContext, useTheme } from "../../look.ts";
import { useScreen, useSource } from "../../screen-context.ts";
import { useKeys } from "../../use-keys.ts";
import { AskedField } from "../field.tsx";
import { LineText, LineTexts } from "../line.tsx";
import { Painted } from "../painted.tsx";

/** The answers. Screen readers announce an answer of several rows as one. */
function Choices({ rows }: { rows: QuestionView["choices"] }): ReactNode {
  const isSpoken = useIsScreenReaderEnabled();
  return (
    <Box flexDirection="column" flexShrink={0} aria-role="radiogroup">
      {[...Map.groupBy(rows, ({ choice }) => choice)].map(([choice, own]) => (
        <Box
          key={choice}
          flexDirection={isSpoken ? "row" : "column"}
          aria-role="radio"
          aria-state={{ selected: own.some(({ isChosen }) => isChosen) }}
        >
          <LineTexts lines={own.map(({ line }) => line)} />
        </Box>
      ))}
    </Box>
  );
}

/** The question over the transcript. Takes keys even when no rows are left to draw it. */
export function Question(): ReactNode {
  const { overlay } = useSource().screen;
  const view = useScreen((_, budget) => budget.question);
  const height = useScreen((_, budget) => budget.overlay);
  const hasAir = useScreen((_, budget) => budget.hasAir);
  useKeys((event, isLate) => overlay.question?.press(event, isLate) ?? false, "question");
  return (
    <Box
      flexShrink={0}
      height={view ? height : 0}
      marginTop={view && hasAir ? 1 : 0}
      overflow="hidden"
    >
      {view && <Card view={view} />}
    </Box>
  );
}

type AloneProps = { view: QuestionView; look: Look; rows: number };

/** A question without a screen around it. */
export const QuestionAlone = ({ view, look, rows }: AloneProps): ReactNode => (
  <LookContext value={look}>
    <Box flexShrink={0} height={Math.min(rows, questionHeight(view))} overflow="hidden">
      <Card view={view} />
    </Box>
  </LookContext>
);

function Card({ view }: { view: QuestionView }): ReactNode {
  const { title, columns, detail, notes, choices, line, hint } = view;
  const theme = useTheme();
  const { color } = theme.props("warning");
  const width = Math.max(1, columns - frameSize.columns);
  const border = color === undefined ? {} : { color };
  const name = fit(` ${title} `, width + 2);
  const rule = "─".repeat(Math.max(0, width + 2 - Bun.stringWidth(name)));
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {/* Without colors the title is bold, and the frame is not. */}
      <Text {...border} aria-label={title}>
        ╭<Text {...theme.props("warning")}>{name}</Text>
        {`${rule}╮`}
      </Text>
      <Box
        flexDirection="column"
        flexShrink={0}
        borderStyle="round"
        borderTop={false}
        paddingX={1}
        {...(color === undefined ? {} : { borderColor: color })}
      >
        {detail.length > 0 && (
          <Box width={width} height={detail.length} flexShrink={0}>
            <Painted lineAt={(index) => detail[index] ?? ""} rows={detail.length} />
          </Box>
        )}
        <LineTexts lines={notes} />
        {line ? (
          <AskedField key={line.label} line={line} level="question" columns={width} />
        ) : (
          <Choices rows={choices} />
        )}
        {hint !== null && <LineText line={hint} />}
      </Box>
    </Box>
  );
}
