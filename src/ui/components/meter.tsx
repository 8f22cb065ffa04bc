import { Box } from "ink";
import type { ReactNode } from "react";
import type { Forecast } from "../../context/forecast.ts";
import type { Span } from "../line.ts";
import { layoutMeter } from "../meter/layout.ts";
import { draftTokens, liveTokens } from "../meter/live.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { Screen } from "../screen.ts";
import { useScreen } from "../screen-context.ts";
import { LineText } from "./line.tsx";
import { Painted } from "./painted.tsx";

// Hidden from screen readers, which would read it out after every key; /context says it.
/** The context meter: how full the window is, what comes next, cache, cost, model and mode. */
export const Meter = (): ReactNode => (
  <Box height={1} flexShrink={0} overflow="hidden" aria-hidden>
    <LineText line={useScreen((frame) => frame.meter)} />
  </Box>
);

/** The lines of the user's own status command. */
export function Status(): ReactNode {
  const lines = useScreen((frame) => frame.status);
  return (
    <Box height={lines.length} flexShrink={0} overflow="hidden" aria-hidden>
      <Painted lineAt={(index) => lines[index] ?? ""} rows={lines.length} />
    </Box>
  );
}

export function meterLine(screen: Screen, forecast: Forecast, columns: number): readonly Span[] {
  const { throttledState: state, view, rules, policy, reading, nowMs } = screen;
  const { mode, hasSandbox } = state;
  const model = sanitizeLine(state.model);
  const live = liveTokens(state, view, rules, policy);
  const sizes = { liveTokens: live, draftTokens: draftTokens(screen) };
  return layoutMeter({ reading, ...sizes, forecast, nowMs, model, mode, hasSandbox }, columns);
}
