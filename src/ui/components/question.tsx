import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { fit, type Line, span } from "../line.ts";
import { type ChoiceRow, frameSize, type QuestionView } from "../questions/question.ts";
import { useTheme } from "../screen-context.ts";
import { Field } from "./field.tsx";
import { LineText, LineTexts } from "./line.tsx";
import { Painted } from "./painted.tsx";

export function Question({ view }: { view: QuestionView }): ReactNode {
  const { title, columns, detail, notes, answer } = view;
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
        {answer.kind === "field" ? (
          <>
            <Field view={answer.view} columns={width} />
            <LineText line={answer.hint} />
          </>
        ) : (
          <Choices {...answer} />
        )}
      </Box>
    </Box>
  );
}

type ChoicesProps = { rows: readonly ChoiceRow[]; isWaiting: boolean; hint: Line | null };

/** The answers, dimmed while keys do not answer. */
const Choices = ({ rows, isWaiting, hint }: ChoicesProps): ReactNode => (
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
