import { Box, Text, useCursor } from "ink";
import { type ReactNode, useSyncExternalStore } from "react";
import { ScreenContext, type ScreenSource, useScreen, useSource } from "../screen-context.ts";
import { Activity } from "./activity.tsx";
import { Completion } from "./completion.tsx";
import { Meter, Status } from "./meter.tsx";
import { Notices } from "./notices.tsx";
import { Overlay } from "./overlay.tsx";
import { Prompt } from "./prompt.tsx";
import { Start } from "./start.tsx";
import { Transcript } from "./transcript.tsx";

type Props = { source: ScreenSource; children: ReactNode };

/** The screen. Each part reads from the newest frame what it shows, and rests while that is the same. */
export function App({ source, children }: Props): ReactNode {
  const { subscribe, frame } = source;
  const hasFrame = useSyncExternalStore(subscribe, () => frame() !== null);
  if (!hasFrame) return <Text wrap="truncate">Too small</Text>;
  return <ScreenContext value={source}>{children}</ScreenContext>;
}

export function Screen(): ReactNode {
  const width = useScreen((frame) => frame.columns);
  const height = useScreen((frame) => frame.rows);
  const gutter = useScreen((frame) => frame.gutter);
  return (
    <Box flexDirection="column" width={width} height={height} paddingX={gutter}>
      <Start />
      <Transcript />
      <Overlay />
      <Activity />
      <Notices />
      <Completion />
      <Prompt />
      <Meter />
      <Status />
      <Cursor />
    </Box>
  );
}

/** Where the next character goes, in Ink's own output. Moving it is a change of its own, since no text changes. */
function Cursor(): ReactNode {
  const { drawsRows } = useSource();
  const cursor = useScreen((frame) => (drawsRows() ? null : frame.cursor));
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor ?? undefined);
  return null;
}
