import { Box } from "ink";
import type { ReactNode } from "react";
import { sanitizeLine } from "../../sanitize.ts";
import type { Screen } from "../../screen.ts";
import { useScreen } from "../../screen-context.ts";
import { LineText } from "../line.tsx";
import { Painted } from "../painted.tsx";
import { layoutMeter, type MeterLine } from "./meter-line.ts";
import { draftTokens, forecastFor, liveTokens } from "./live.ts";

// Hidden from screen readers, which would repeat it after every key; /context has the same facts.
/** The context meter: how full the window is, what comes next, cost and cache, model and mode. */
export function Meter(): ReactNode {
  const { left, right } = useScreen((screen, { columns }) => selectMeter(screen, columns));
  return (
    <Box height={1} flexShrink={0} overflow="hidden" justifyContent="space-between" aria-hidden>
      <LineText line={left} />
      <LineText line={right} />
    </Box>
  );
}

function selectMeter(screen: Screen, columns: number): MeterLine {
  const { throttledState: state, view, rules, policy, reading, nowMs } = screen.store;
  const input = {
    ...state,
    reading,
    nowMs,
    model: sanitizeLine(state.model),
    liveTokens: liveTokens(state, view, rules, policy),
    draftTokens: draftTokens(screen),
    forecast: forecastFor(screen),
    compactKey: screen.keys.describeKey("compact"),
  };
  return layoutMeter(input, columns);
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
