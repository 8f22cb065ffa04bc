import { Box, Text, useCursor } from "ink";
import { type ReactNode, use, useMemo, useSyncExternalStore } from "react";
import { LookContext } from "../look.ts";
import {
  DrawsRowsContext,
  ScreenContext,
  type ScreenSource,
  useScreen,
} from "../screen-context.ts";
import { Activity } from "./activity.tsx";
import { Completion } from "./completion.tsx";
import { Meter, Status } from "./meter/meter.tsx";
import { Notices } from "./notices.tsx";
import { Overlay } from "./overlay.tsx";
import { Prompt } from "./prompt.tsx";
import { Start } from "./start.tsx";
import { Transcript } from "./transcript.tsx";

/** The screen. Each part selects what it shows, and rests while that is the same. */
export function App({ source }: { source: ScreenSource }): ReactNode {
  const hasRoom = useSyncExternalStore(source.subscribe, () => source.layout !== null);
  if (!hasRoom) return <Text wrap="truncate">Too small</Text>;
  return (
    <ScreenContext value={source}>
      <Screen />
    </ScreenContext>
  );
}

function Screen(): ReactNode {
  const theme = useScreen(({ store }) => store.theme);
  const width = useScreen((_, budget) => budget.width);
  const height = useScreen((_, budget) => budget.height);
  const gutter = useScreen((_, budget) => budget.gutter);
  const columns = width - 2 * gutter;
  const look = useMemo(() => ({ theme, columns }), [theme, columns]);
  return (
    <LookContext value={look}>
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
    </LookContext>
  );
}

/** Where the next character goes, in Ink's own output. Moving it is a change of its own, since no text changes. */
function Cursor(): ReactNode {
  const drawsRows = use(DrawsRowsContext);
  const cursor = useScreen((_, budget) => (drawsRows() ? null : budget.cursor));
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor ?? undefined);
  return null;
}
