import { Box, Text } from "ink";
import type { Theme } from "../theme.ts";
import { fit } from "../wrap.ts";
import { markMatches } from "./search.ts";
import type { Visible } from "./viewport.ts";

type TranscriptProps = {
  visible: Visible;
  rows: number;
  columns: number;
  theme: Theme;
  /** The selected item, while the transcript has focus. */
  chosen: number | null;
  pattern: RegExp | null;
  bar: string | null;
  hasNews: boolean;
};

/** Draws the visible lines, one row each. */
export function Transcript(props: TranscriptProps) {
  const { visible, rows, columns, theme, chosen, pattern, bar, hasNews } = props;
  const what = hasNews ? "▼ new below · End" : "▼ more below · End";
  const below = visible.below ? theme.paint("warning", what) : "";
  const last = bar === null ? below : [below, bar].filter((part) => part !== "").join("  ");
  return (
    <Box flexDirection="column" width={columns} height={rows} flexShrink={1} overflow="hidden">
      <Box flexDirection="column" flexGrow={1} overflow="hidden">
        {visible.lines.map(({ text, item }, index) => {
          const mark = chosen === null ? "" : item === chosen ? theme.paint("accent", "▌") : " ";
          const line = pattern === null ? text : markMatches(text, pattern, theme);
          return (
            <Box key={index} height={1} flexShrink={0}>
              <Text wrap="truncate">
                {mark + (text === "" ? " " : fit(line, columns - (chosen === null ? 0 : 1)))}
              </Text>
            </Box>
          );
        })}
      </Box>
      {last === "" ? null : (
        <Box height={1} flexShrink={0}>
          <Text wrap="truncate">{fit(last, columns)}</Text>
        </Box>
      )}
    </Box>
  );
}
