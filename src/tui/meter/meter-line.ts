import type { Forecast } from "../../context/forecast.ts";
import type { Host } from "../host.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { ScreenState } from "../state.ts";
import { layoutMeter } from "./layout.ts";
import { liveTokens } from "./live.ts";

/** Draws the context meter. */
export function meterLine(
  host: Host,
  state: ScreenState,
  forecast: Forecast,
  columns: number,
): string {
  const { view, rules, reading, options, theme, nowMs } = host;
  const input = {
    reading,
    liveTokens: liveTokens(state, view, rules, options.policy),
    policy: options.policy,
    forecast,
    nowMs,
    model: sanitizeLine(state.model),
    mode: state.mode,
    hasSandbox: state.hasSandbox,
  };
  return layoutMeter(input, columns)
    .map(({ role, text }) => theme.paint(role, text))
    .join("");
}
