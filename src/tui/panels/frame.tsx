import { Box, Text } from "ink";
import type { Theme } from "../theme.ts";
import { fit, pad } from "../wrap.ts";

type FrameProps = {
  title: string;
  hint: string;
  lines: readonly string[];
  rows: number;
  columns: number;
  theme: Theme;
  from?: number;
};

/** A panel: a title line, as many lines as fit, a hint what the keys do. Lines may hold SGR codes. */
export function Frame({ title, hint, lines, rows, columns, theme, from = 0 }: FrameProps) {
  const room = Math.max(1, rows - 2);
  const start = Math.max(0, Math.min(from, lines.length - room));
  const shown = lines.slice(start, start + room);
  const more =
    lines.length > room ? ` ${start + 1}-${start + shown.length} of ${lines.length} ` : "";
  return (
    <Box flexDirection="column" width={columns}>
      <Text wrap="truncate">
        {theme.paint("boundary", fit(`── ${title} ${more}`.padEnd(columns, "─"), columns))}
      </Text>
      {shown.map((line, index) => (
        <Text key={start + index} wrap="truncate">
          {line === "" ? " " : fit(line, columns)}
        </Text>
      ))}
      <Text wrap="truncate">{theme.paint("dim", pad(fit(hint, columns), columns))}</Text>
    </Box>
  );
}
