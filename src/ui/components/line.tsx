import { Box, Text, useIsScreenReaderEnabled } from "ink";
import { memo, type ReactNode } from "react";
import { type Line, spokenText, toSpans } from "../spans.ts";
import { useTheme } from "../look.ts";

/** Marks at the start of a row, for which a screen reader has roles and states. */
const marks = /^\s*[❯●▌]/;

/** Rests while its line is equal: rendering a text again makes Ink measure it, and lay out the screen. */
export const LineText = memo(DrawnLine, (before, now) => Bun.deepEquals(before.line, now.line));

function DrawnLine({ line }: { line: Line }): ReactNode {
  const theme = useTheme();
  const isSpoken = useIsScreenReaderEnabled();
  const spans = toSpans(line);
  if (isSpoken) {
    const words = spokenText(line).replace(marks, "").trim();
    return words === "" ? null : <Text>{words}</Text>;
  }
  const [only] = spans;
  if (spans.length === 1 && typeof only === "object")
    return (
      <Text wrap="truncate" {...theme.props(only.role)}>
        {only.text || " "}
      </Text>
    );
  return (
    <Text wrap="truncate">
      {spans.map((piece, index) =>
        typeof piece === "string" ? (
          piece
        ) : (
          <Text key={index} {...theme.props(piece.role)}>
            {piece.text}
          </Text>
        ),
      )}
      {/* An empty text would have no height. */}
      {spans.every((piece) => piece === "") ? " " : ""}
    </Text>
  );
}

export const LineTexts = ({ lines }: { lines: readonly Line[] }): ReactNode =>
  lines.map((line, index) => <LineText key={index} line={line} />);

/** Lines below each other that keep their height. */
export const Rows = ({ lines }: { lines: readonly Line[] }): ReactNode => (
  <Box flexDirection="column" flexShrink={0}>
    <LineTexts lines={lines} />
  </Box>
);
