/** The soft ceiling: where reading the history, call after call, costs more than a summary of it. */

import type { Policy } from "../protocol/policy.ts";
import { economyTuning } from "./economy-tuning.ts";
import { spanBeforeTurns } from "./span.ts";
import type { Plan, Signals, View } from "./types.ts";

/** `clear`: the cut that is due anyway, which may be enough in a window that asks for summaries itself. */
export function summaryThreshold(
  view: View,
  now: Signals,
  policy: Policy,
  clear: Plan | null,
): Plan | null {
  const { usedTokens, windowTokens, cache, breakdown } = now.reading;
  const { ceilingTokens, fewestCalls, leastShare, clearsFirst } = economyTuning(windowTokens);
  const counts = clearsFirst || cache.state !== "hot";
  const stays = counts ? (clear?.price.usedAfter ?? usedTokens) : usedTokens;
  const fixed = breakdown.system + breakdown.tools;
  if (stays - fixed < ceilingTokens || callsSinceSummary(view) < fewestCalls) return null;
  const span = spanBeforeTurns(view, policy.summary.keepTurns, now.tokensOf);
  if (!span) return null;
  const price = now.priceOfSummary(span);
  if (price.usedBefore - price.usedAfter < leastShare * (usedTokens - fixed)) return null;
  const reason = `above ${ceilingTokens.toLocaleString("en")} tokens the conversation costs more than a summary of it`;
  return { tier: "summary", reason, summarise: span, price };
}

function callsSinceSummary(view: View): number {
  const covered = view.rows.findLastIndex(({ shown }) => shown === "covered");
  return view.rows.slice(covered + 1).filter(({ entry }) => entry.type === "assistant").length;
}
