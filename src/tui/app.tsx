/** Draws the screen: lines that are laid out elsewhere, a row each. */

import { Box, Text, useApp, useCursor, useStdin, useWindowSize } from "ink";
import TextInput from "ink-text-input";
import { memo, useEffect, useSyncExternalStore } from "react";
import type { ScreenController } from "./controller.ts";
import { drawScreen, smallest } from "./screen-frame.ts";
import type { TextField } from "./panels/panel.ts";
import { Transcript } from "./transcript/transcript.tsx";

type Suspend = (work: () => Promise<void>) => Promise<void>;

type AppProps = {
  controller: ScreenController;
  /** Hands out what runs other programs on this terminal. */
  onStart(suspend: Suspend): void;
};

export function App({ controller, onStart }: AppProps) {
  const { pacer, theme } = controller;
  useTerminal(onStart);
  useSyncExternalStore(pacer.subscribe, pacer.getFrame);
  const { columns, rows } = useWindowSize();
  const { setCursorPosition } = useCursor();
  if (columns < smallest.columns || rows < smallest.rows)
    return <Text wrap="truncate">{`Too small: ${columns}x${rows}`}</Text>;

  const frame = drawScreen(controller, columns, rows);
  setCursorPosition(frame.cursor ?? undefined);
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Box marginLeft={frame.gutter} flexDirection="column">
        <Lines lines={frame.start} />
        <Transcript {...frame.transcript} rows={frame.rows} columns={frame.columns} theme={theme} />
        <Lines lines={frame.panel} />
        {frame.field && <Field {...frame.field} />}
        <Lines lines={frame.above} />
        <Lines lines={frame.prompt} />
        <Lines lines={[frame.meter]} />
      </Box>
    </Box>
  );
}

/** Keys arrive one by one and without echo while the screen is shown. */
function useTerminal(onStart: AppProps["onStart"]): void {
  const { suspendTerminal } = useApp();
  const { setRawMode } = useStdin();
  useEffect(() => {
    onStart(suspendTerminal);
    setRawMode(true);
    return () => setRawMode(false);
    // Once, for as long as the screen is shown.
  }, []);
}

/** Only draws: the panel has the keys, so that none is lost while React renders. */
const Field = ({ label, value, placeholder, mask }: TextField) => (
  <Box height={1} flexShrink={0} overflow="hidden">
    <Text dimColor>{label}</Text>
    <TextInput
      value={value}
      placeholder={placeholder}
      onChange={() => {}}
      {...(mask === undefined ? {} : { mask })}
    />
  </Box>
);

type LinesProps = { lines: readonly string[] };

/** Drawn again only when a line changed. */
const Lines = memo(
  ({ lines }: LinesProps) => (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, index) => (
        <Text key={index} wrap="truncate">
          {line === "" ? " " : line}
        </Text>
      ))}
    </Box>
  ),
  ({ lines: before }, { lines: now }) =>
    before.length === now.length && before.every((line, index) => line === now[index]),
);
