import { forecast, type Forecast } from "../../context/forecast.ts";
import { tokensOfText } from "../../context/meter/meter.ts";
import type { View } from "../../context/types.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { Screen } from "../screen.ts";
import type { Span } from "../line.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { ScreenState } from "../state.ts";
import { layoutMeter } from "./layout.ts";

export function meterLine(screen: Screen, columns: number): readonly Span[] {
  const { calmState: state, view, rules, reading, options, nowMs } = screen;
  const input = {
    reading,
    liveTokens: liveTokens(state, view, rules, options.policy),
    draftTokens: Math.round(tokensOfText(view, rules, "user", screen.prompt.draftChars)),
    forecast: forecastFor(screen),
    nowMs,
    model: sanitizeLine(state.model),
    mode: state.mode,
    hasSandbox: state.hasSandbox,
  };
  return layoutMeter(input, columns);
}

const nothing: Forecast = { bySize: null, whenCold: null };

function forecastFor({ view, rules, options, reading, nowMs, forecasts }: Screen) {
  // There is nothing to cut yet, and the first frame need not wait for the planner to find that out.
  if (!view.rows.some(({ shown }) => shown !== "unsent")) return nothing;
  const { cache } = reading;
  const keys = [view, view.version, rules, options.policy, cache.state, cache.expiresAtMs];
  return forecasts.get(keys, () => forecast(view, rules, options.policy, nowMs)) ?? nothing;
}

/** Output that is in no entry yet; the meter counts it as it arrives. */
type Live = Pick<ScreenState, "liveChars" | "running">;

/** The answer that is being streamed, by the session's own characters per token. */
export const answerTokens = ({ liveChars }: Live, view: View, rules: ModelRules): number =>
  Math.round(tokensOfText(view, rules, "assistant", liveChars));

/** The answer that is being streamed, and the output of running tools, as much of it as will be sent. */
export function liveTokens(state: Live, view: View, rules: ModelRules, policy: Policy): number {
  let bytes = 0;
  // Only a preview of larger outputs is sent, of about this size.
  for (const output of state.running.values()) bytes += Math.min(output.bytes, policy.persistBytes);
  const printed = Math.round(tokensOfText(view, rules, "toolResults", bytes));
  return answerTokens(state, view, rules) + printed;
}
