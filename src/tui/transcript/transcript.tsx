import { Box, Text } from "ink";
import type { Theme } from "../theme.ts";
import { fit } from "../wrap.ts";
import type { Visible } from "./viewport.ts";

type Props = {
  visible: Visible;
  rows: number;
  columns: number;
  theme: Theme;
  /** The chosen item, while the transcript has the keys. */
  chosen: number | null;
};

/** The lines that are on the screen, a row each; nothing else is mounted. */
export function Transcript({ visible, rows, columns, theme, chosen }: Props) {
  return (
    <Box flexDirection="column" width={columns} height={rows} flexShrink={1} overflow="hidden">
      {visible.lines.map(({ text, item }, index) => {
        const mark = chosen === null ? "" : item === chosen ? theme.paint("accent", "▌") : " ";
        return (
          <Box key={index} height={1} width={columns} flexShrink={0}>
            <Text wrap="truncate">
              {mark + (text === "" ? " " : fit(text, columns - (chosen === null ? 0 : 1)))}
            </Text>
          </Box>
        );
      })}
      {visible.below ? (
        <Text wrap="truncate">{theme.paint("warning", fit("▼ more below · End", columns))}</Text>
      ) : null}
    </Box>
  );
}
