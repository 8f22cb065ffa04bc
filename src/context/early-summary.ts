/** A summary before the window requires one: where reading the history costs more than a summary. */

import type { Policy } from "../protocol/policy.ts";
import { spanBeforeTurns } from "./span.ts";
import { summaryPlanOf } from "./tiers/summary.ts";
import { tuningOf } from "./tuning.ts";
import type { Plan, Signals, View } from "./types.ts";

/** The size in tokens below which no early summary is made; null: none ever is. */
export function earliestSummary(windowTokens: number, policy: Policy): number | null {
  const early = policy.policy === "economy" ? tuningOf(policy).earlySummary : null;
  return early && Math.min(early.minShare * windowTokens, early.maxTokens);
}

/** `clear`: the cut that is due anyway, which may be enough. */
export function earlySummary(
  view: View,
  now: Signals,
  policy: Policy,
  clear: Plan | null,
): Plan | null {
  const early = tuningOf(policy).earlySummary;
  // A user who has just declined a summary is not offered one only to save money.
  if (!early || view.declinedAt !== null) return null;
  const { usedTokens, windowTokens, breakdown } = now.reading;
  const fixed = breakdown.system + breakdown.tools;
  const least = earliestSummary(windowTokens, policy) ?? windowTokens;
  const remaining = clear?.price.usedAfter ?? usedTokens;
  if (remaining < least || !hasCallsSinceSummary(view, early.minCalls)) return null;
  const span = spanBeforeTurns(view, policy.summary.keepTurns, now.tokensOf);
  if (!span) return null;
  const plan = summaryPlanOf(view, now, span, "reading it costs more than a summary");
  const freed = plan.price.usedBefore - plan.price.usedAfter;
  return freed < early.minFreed * (usedTokens - fixed) ? null : plan;
}

/** Whether the model was called at least this often since the newest summary. */
function hasCallsSinceSummary({ rows }: View, least: number): boolean {
  let calls = 0;
  for (let index = rows.length - 1; index >= 0 && calls < least; index--) {
    const row = rows[index];
    if (row?.shown === "covered") return false;
    if (row?.entry.type === "assistant") calls++;
  }
  return calls >= least;
}
