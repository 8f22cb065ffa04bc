/** Prices of the next message after a pause in which the prompt cache expired. */

import { clipLine } from "../base/clip.ts";
import type { EntryId } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { forecast } from "./forecast.ts";
import { clearPlan, planCuts } from "./ladder.ts";
import { estimatePrompt, freedBy } from "./meter/cache.ts";
import type { MeterReading, Plan, View } from "./types.ts";
import { findCall, findRow, isResult, type ResultRow } from "./view/rows.ts";
import { rowTokens } from "./view/row-tokens.ts";

export type ColdCache = {
  /** Price of the next call's prompt in US dollars, without its answer. */
  asIsUsd: number;
  clearedUsd: number;
  /** The cut, as an imperative: "clear 3 old results". */
  action: string;
  /** The policy does so when the next message is sent. */
  isAutomatic: boolean;
  /** The largest results that go, named for the user. */
  largest: readonly { entry: EntryId; name: string; tokens: number }[];
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
  const gone = isDue ? planCuts({ view, reading, policy, rules }) : plan;
  const largest = findLargest(view, rules, gone);
  return { asIsUsd, clearedUsd, action, isAutomatic: isDue, largest, isEstimate };
}

const mostNamed = 3;

function findLargest(view: View, rules: ModelRules, plan: Plan | null): ColdCache["largest"] {
  const tokens = rowTokens(view, rules);
  const changes = plan && "changes" in plan ? plan.changes : [];
  return changes
    .flatMap((change) => {
      const row = change.kind === "replace" ? findRow(view, change.entry) : undefined;
      if (!row || !isResult(row)) return [];
      const { id } = row.entry;
      return [
        { entry: id, name: nameResult(view, row), tokens: tokens[view.indexOf(id) ?? 0] ?? 0 },
      ];
    })
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, mostNamed);
}

/** By the file that it shows, or the command that it answers. */
function nameResult(view: View, { entry }: ResultRow): string {
  const path = entry.stamps?.[0]?.path;
  if (path !== undefined) return path.slice(path.lastIndexOf("/") + 1);
  const command = findCall(view, entry)?.input["command"];
  return typeof command === "string" ? clipLine(command, 30) : entry.tool;
}
