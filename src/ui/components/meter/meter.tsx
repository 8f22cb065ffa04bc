import { Box, Text } from "ink";
import type { ReactNode } from "react";
import { sanitizeLine } from "../../sanitize.ts";
import type { Screen } from "../../screen.ts";
import { useScreen } from "../../screen-context.ts";
import { Painted } from "../painted.tsx";
import { Styled } from "../styled.tsx";
import { layoutMeter, type MeterLine, type Segment } from "./facts.ts";
import { draftTokens, forecastFor, liveTokens } from "./live.ts";

// Hidden from screen readers, which would repeat it after every key; /context has the same facts.
/** The context meter: how full the window is, what comes next, cost and cache, model and mode. */
export function Meter(): ReactNode {
  const { left, right } = useScreen((screen, { columns }) => selectMeter(screen, columns));
  return (
    <Box height={1} flexShrink={0} overflow="hidden" justifyContent="space-between" aria-hidden>
      <Segments of={left} />
      <Segments of={right} />
    </Box>
  );
}

function Segments({ of }: { of: readonly Segment[] }): ReactNode {
  if (of.length === 0) return null;
  return (
    <Text wrap="truncate">
      {of.map(({ role, text }, index) => (
        <Styled key={index} role={role}>
          {text}
        </Styled>
      ))}
    </Text>
  );
}

function selectMeter(screen: Screen, columns: number): MeterLine {
  const { throttledState: state, view, rules, policy, reading, nowMs } = screen.store;
  const compactKey = screen.keys.describeKey("compact");
  const sizes = {
    liveTokens: liveTokens(state, view, rules, policy),
    draftTokens: draftTokens(screen),
  };
  const { mode, hasSandbox, budget, isPreparing } = state;
  const forecast = forecastFor(screen);
  const model = sanitizeLine(state.model);
  return layoutMeter(
    {
      reading,
      ...sizes,
      forecast,
      isPreparing,
      compactKey,
      budget,
      nowMs,
      model,
      mode,
      hasSandbox,
    },
    columns,
  );
}

/** The lines of the user's own status command. */
export function Status(): ReactNode {
  const rows = useScreen((_, { status }) => status);
  const lines = useScreen((screen, { columns }) =>
    rows === 0 ? [] : statusLines(screen, columns),
  );
  return (
    <Box height={rows} flexShrink={0} overflow="hidden" aria-hidden>
      <Painted lineAt={(index) => lines[index] ?? ""} rows={rows} />
    </Box>
  );
}

export const statusLines = (screen: Screen, columns: number): readonly string[] =>
  screen.status.lines(columns, forecastFor(screen));
