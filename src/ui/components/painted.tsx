import { Box, Text, Transform } from "ink";
import { memo, type ReactNode } from "react";

type Props = {
  /** Styled already: Markdown, code and diffs are laid out line by line, and only once. */
  lines: readonly string[];
  columns: number;
  rows: number;
};

/**
 * Long text. Ink measures only blank lines, of which there are always as many: measuring the text
 * itself takes three milliseconds a frame.
 */
export const Painted = memo(({ lines, columns, rows }: Props): ReactNode => {
  if (rows <= 0) return null;
  return (
    <Box width={columns} height={rows} flexShrink={0}>
      <Transform
        transform={(_, index) => lines[index] ?? ""}
        accessibilityLabel={Bun.stripANSI(lines.join("\n"))}
      >
        <Text>{blank(rows)}</Text>
      </Transform>
    </Box>
  );
});

/** A space, because the transform is not asked about an empty line. */
const blank = (rows: number): string => Array<string>(rows).fill(" ").join("\n");
