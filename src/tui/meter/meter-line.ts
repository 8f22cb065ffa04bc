import type { ScreenController } from "../controller.ts";
import { sanitizeLine } from "../sanitize.ts";
import { layoutMeter } from "./layout.ts";
import { liveTokens } from "./live.ts";

/** Draws the context meter. */
export function meterLine(controller: ScreenController, columns: number): string {
  const { calmState: state, forecaster, view, rules, reading, options, theme, nowMs } = controller;
  const input = {
    reading,
    liveTokens: liveTokens(state, view, rules, options.policy),
    forecast: forecaster.current,
    nowMs,
    model: sanitizeLine(state.model),
    mode: state.mode,
    hasSandbox: state.hasSandbox,
  };
  return layoutMeter(input, columns)
    .map(({ role, text }) => theme.paint(role, text))
    .join("");
}
