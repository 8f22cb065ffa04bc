/** The activity line and the meter line. */

import { takeEnd } from "../../base/clip.ts";
import { counted } from "../../base/in-words.ts";
import type { Screen } from "../screen.ts";
import { sanitizeLine } from "../sanitize.ts";
import type { ScreenState } from "../state.ts";
import { forecast, forecastKey, type Forecast } from "../../context/forecast.ts";
import { tokensOfText } from "../../context/meter/meter.ts";
import type { View } from "../../context/types.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { Span } from "../line.ts";
import { layoutMeter } from "./layout.ts";

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export function activityLine(screen: Screen): string {
  const { throttledState: state, view, rules, keys, nowMs } = screen;
  const { retry, asks, phase } = state;
  if (retry) {
    const seconds = Math.max(0, Math.ceil((retry.untilMs - nowMs) / 1000));
    return `Retry ${retry.attempt} of ${retry.of} in ${seconds} s · Esc stop · ${sanitizeLine(retry.reason)}`;
  }
  if (asks.length > 0) return "? Waiting for your answer";
  if (state.compaction?.step === "review") return "? Waiting for your review";
  if (phase === "idle") return "";
  const seconds = Math.max(0, Math.floor((nowMs - (state.activitySinceMs ?? nowMs)) / 1000));
  const sign = spinner[Math.floor(nowMs / 1000) % spinner.length] ?? "";
  const tokens =
    phase === "streaming" && state.liveChars > 0
      ? ` · ${answerTokens(state, view, rules)} tokens`
      : "";
  return `${sign} ${chooseVerb(state)} ${seconds} s${tokens} · Esc stop${commandHint(state, keys.describeKey("background"))}`;
}

/** Background work in one line; empty when there is none. */
export function backgroundLine({ inBackground, isPreparing }: ScreenState): string {
  const summary = isPreparing ? ["Writing the next summary in the background"] : [];
  const commands = `${counted(inBackground, "command")} in the background · /tasks`;
  return [...summary, ...(inBackground === 0 ? [] : [commands])].join(" · ");
}

const verbs: Record<ScreenState["phase"], string> = {
  starting: "Starting",
  waiting: "Waiting for the model",
  streaming: "Writing",
  tools: "Running",
  compacting: "Compacting",
  idle: "",
};

function chooseVerb({ phase, answer, compaction }: ScreenState): string {
  if (phase === "streaming" && answer.at(-1)?.kind === "thinking") return "Thinking";
  if (phase === "compacting" && compaction?.step === "writing")
    return `Compacting: ${sanitizeLine(takeEnd(compaction.text, 60))}`;
  return verbs[phase];
}

/** The newest line of a command that the user started, which has no row in the transcript yet. */
function commandHint({ running, openCalls }: ScreenState, key: string): string {
  const hint = ` · ${key} background`;
  for (const [call, { tail }] of running) {
    const line = sanitizeLine(tail.trimEnd().split("\n").at(-1) ?? "");
    if (!openCalls.has(call)) return line === "" ? hint : ` · ${line}`;
  }
  return running.size > 0 ? hint : "";
}

export function meterLine(screen: Screen, columns: number): readonly Span[] {
  const { throttledState: state, view, rules, reading, options, nowMs } = screen;
  const { mode, hasSandbox } = state;
  const model = sanitizeLine(state.model);
  const forecast = forecastFor(screen);
  const live = liveTokens(state, view, rules, options.policy);
  const draft = draftTokens(screen);
  const input = {
    reading,
    liveTokens: live,
    draftTokens: draft,
    forecast,
    nowMs,
    model,
    mode,
    hasSandbox,
  };
  // A new reading comes every second, and only it changes with time.
  const keys = [reading, live, draft, forecast, model, mode, hasSandbox, columns];
  return screen.meter.get(keys, () => layoutMeter(input, columns));
}

const nothing: Forecast = { bySize: null, whenCold: null };

const draftTokens = ({ view, rules, prompt }: Screen): number =>
  Math.round(tokensOfText(view, rules, "user", prompt.draftChars));

export function forecastFor(screen: Screen): Forecast {
  const { view, rules, options, reading, nowMs, forecasts } = screen;
  // There is nothing to cut yet, and the first frame need not wait for the planner to find that out.
  if (!view.rows.some(({ shown }) => shown !== "unsent")) return nothing;
  const { cache } = reading;
  const { policy } = options;
  const draft = draftTokens(screen);
  const key = forecastKey(view, rules, policy, nowMs, draft);
  const keys = [view, view.version, rules, policy, cache.state, cache.expiresAtMs, key];
  return forecasts.get(keys, () => forecast(view, rules, policy, nowMs, draft)) ?? nothing;
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
