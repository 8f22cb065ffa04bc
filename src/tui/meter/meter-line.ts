import { forecast, type Forecast } from "../../context/forecast.ts";
import type { ScreenController } from "../controller.ts";
import { sanitizeLine } from "../sanitize.ts";
import { layoutMeter } from "./layout.ts";
import { liveTokens } from "./live.ts";

/** Draws the context meter. */
export function meterLine(controller: ScreenController, columns: number): string {
  const { calmState: state, view, rules, reading, options, theme, nowMs } = controller;
  const input = {
    reading,
    liveTokens: liveTokens(state, view, rules, options.policy),
    forecast: forecastFor(controller),
    nowMs,
    model: sanitizeLine(state.model),
    mode: state.mode,
    hasSandbox: state.hasSandbox,
  };
  return layoutMeter(input, columns)
    .map(({ role, text }) => theme.paint(role, text))
    .join("");
}

const nothing: Forecast = { bySize: null, whenCold: null };

function forecastFor({ view, rules, options, reading, nowMs, forecasts }: ScreenController) {
  // There is nothing to cut yet, and the first frame need not wait for the planner to find that out.
  if (!view.rows.some(({ shown }) => shown !== "unsent")) return nothing;
  const { cache } = reading;
  const keys = [view, view.version, rules, options.policy, cache.state, cache.expiresAtMs];
  return forecasts.get(keys, () => forecast(view, rules, options.policy, nowMs)) ?? nothing;
}
