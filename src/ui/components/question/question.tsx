import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { fit } from "../../painted-text.ts";
import { frameSize, type QuestionView } from "./question-model.ts";
import { useTheme } from "../../look.ts";
import { Field } from "../field/field.tsx";
import { LineText, LineTexts } from "../line.tsx";
import { Choices } from "../list.tsx";
import { Painted } from "../painted.tsx";

export function Question({ view }: { view: QuestionView }): ReactNode {
  const { title, columns, detail, notes, choices, field, hint } = view;
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
        {field ? <Field view={field} columns={width} /> : <Choices rows={choices} />}
        {hint !== null && <LineText line={hint} />}
      </Box>
    </Box>
  );
}
