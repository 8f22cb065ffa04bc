/** Prices of the next message after a pause in which the prompt cache expired. */

import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { forecast } from "./forecast.ts";
import { clearPlan } from "./ladder.ts";
import { freedBy } from "./meter/cache.ts";
import { estimatePrompt } from "./meter/estimate-cost.ts";
import type { MeterReading, View } from "./types.ts";

export type ColdCache = {
  /** Price of the next call's prompt in US dollars, without its answer. */
  asIsUsd: number;
  clearedUsd: number;
  /** The cut, as an imperative: "clear 3 old results". */
  action: string;
  /** The policy does so when the next message is sent. */
  isAutomatic: boolean;
  /** The prices of the model are. */
  isEstimate?: true | undefined;
};

const least = { share: 0.1, usd: 0.01 };

/** null if the cache is not cold, or clearing would save little. */
export function findColdCache(
  view: View,
  reading: MeterReading,
  rules: ModelRules,
  policy: Policy,
): ColdCache | null {
  if (reading.cache.state !== "cold") return null;
  const nowMs = (view.anchor?.atMs ?? 0) + (reading.idleMs ?? 0);
  const { bySize: next } = forecast(view, rules, policy, nowMs);
  const isDue = next !== null && next.atTokens <= reading.usedTokens && next.tier !== "summary";
  const plan = isDue ? null : clearPlan({ view, reading, policy, rules });
  const frees = isDue ? next.freesTokens : plan ? freedBy(plan) : 0;
  const action = isDue ? next.action : plan?.action;
  if (action === undefined) return null;
  const asIsUsd = estimatePrompt(reading, rules, policy);
  const cleared = { ...reading, usedTokens: reading.usedTokens - frees };
  const clearedUsd = estimatePrompt(cleared, rules, policy);
  if (asIsUsd - clearedUsd < Math.max(least.usd, asIsUsd * least.share)) return null;
  const { isEstimate } = reading.cost;
  return { asIsUsd, clearedUsd, action, isAutomatic: isDue, isEstimate };
}
