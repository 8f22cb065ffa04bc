/** Live numbers: streamed, printed and typed tokens, and the forecast. */

import { forecast, forecastKey, type Forecast } from "../../../context/forecast.ts";
import { tokensOfText } from "../../../context/meter/meter.ts";
import type { View } from "../../../context/types.ts";
import type { ModelRules } from "../../../protocol/model.ts";
import type { Policy } from "../../../protocol/policy.ts";
import type { betweenFrames } from "../../memo.ts";
import type { ScreenState } from "../../state.ts";
import type { Store } from "../../store.ts";

const nothing: Forecast = { bySize: null, whenCold: null };

/** The draft and cached forecasts. */
type Forecasting = {
  readonly store: Store;
  readonly prompt: { readonly draftChars: number };
  readonly forecasts: ReturnType<typeof betweenFrames<Forecast>>;
};

export const draftTokens = ({ store, prompt }: Pick<Forecasting, "store" | "prompt">): number =>
  Math.round(tokensOfText(store.view, store.rules, "user", prompt.draftChars));

export function forecastFor(screen: Forecasting): Forecast {
  const { store, forecasts } = screen;
  const { view, rules, policy, reading, nowMs } = store;
  // Nothing to cut yet: spare the first frame a run of the planner.
  if (!view.rows.some(({ shown }) => shown !== "unsent")) return nothing;
  const { cache } = reading;
  const draft = draftTokens(screen);
  const key = forecastKey(view, rules, policy, nowMs, draft);
  const keys = [view, view.version, rules, policy, cache.state, cache.expiresAtMs, key];
  return forecasts.get(keys, () => forecast(view, rules, policy, nowMs, draft)) ?? nothing;
}

/** Output not yet in any entry, counted as it arrives. */
type Live = Pick<ScreenState, "liveChars" | "running">;

/** Tokens of the streamed answer, by the session's characters per token. */
export const answerTokens = ({ liveChars }: Live, view: View, rules: ModelRules): number =>
  Math.round(tokensOfText(view, rules, "assistant", liveChars));

/** Tokens of the streamed answer, and of running tools' output as far as it will be sent. */
export function liveTokens(state: Live, view: View, rules: ModelRules, policy: Policy): number {
  let bytes = 0;
  // Larger outputs are sent as a preview of about this size.
  for (const output of state.running.values()) bytes += Math.min(output.bytes, policy.persistBytes);
  const printed = Math.round(tokensOfText(view, rules, "toolResults", bytes));
  return answerTokens(state, view, rules) + printed;
}
