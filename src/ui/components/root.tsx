import { Box, Text, useCursor } from "ink";
import { type ReactNode, use, useMemo } from "react";
import { LookContext } from "../look.ts";
import {
  DrawsRowsContext,
  ScreenContext,
  type ScreenSource,
  useScreen,
} from "../screen-context.ts";
import { KeysContext } from "../use-keys.ts";
import { Activity } from "./activity.tsx";
import { Completion } from "./completion-menu.tsx";
import { Meter, Status } from "./meter/meter.tsx";
import { Notices } from "./notices.tsx";
import { Panel } from "./open-panel.tsx";
import { Prompt } from "./prompt.tsx";
import { Question } from "./question/question.tsx";
import { Start } from "./start.tsx";
import { Transcript } from "./transcript.tsx";

/** The screen. Each part selects its data and rerenders only when the data changes. */
export const App = ({ source }: { source: ScreenSource }): ReactNode => (
  <ScreenContext value={source}>
    <KeysContext value={source.screen.keyHandlers}>
      <Screen />
    </KeysContext>
  </ScreenContext>
);

function Screen(): ReactNode {
  const theme = useScreen(({ store }) => store.theme);
  const width = useScreen((_, budget) => budget.width);
  const height = useScreen((_, budget) => budget.height);
  const fits = useScreen((_, budget) => budget.fits);
  const gutter = useScreen((_, budget) => budget.gutter);
  const columns = width - 2 * gutter;
  const look = useMemo(() => ({ theme, columns }), [theme, columns]);
  return (
    <LookContext value={look}>
      {!fits && <Text wrap="truncate">Too small</Text>}
      {/* Not drawn, it takes keys all the same. */}
      <Box
        display={fits ? "flex" : "none"}
        flexDirection="column"
        width={width}
        height={height}
        paddingX={gutter}
      >
        <Start />
        <Transcript />
        <Question />
        <Panel />
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

/** Cursor position for Ink's own output. A move needs its own update, since no text changes. */
function Cursor(): ReactNode {
  const drawsRows = use(DrawsRowsContext);
  const cursor = useScreen((_, budget) => (drawsRows() ? null : budget.cursor));
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor ?? undefined);
  return null;
}
