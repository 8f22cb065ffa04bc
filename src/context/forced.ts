/** What is cut when the next request would not fit. */

import type { Change } from "../protocol/entry.ts";
import { planAll } from "./batch.ts";
import { counted } from "../base/in-words.ts";
import { cutPlan, freedBy, isWorthSummary } from "./fit.ts";
import { tokensOf } from "./meter.ts";
import { replaceWhole } from "./placeholder.ts";
import { cuttableResults, type ResultRow } from "./protect.ts";
import { recentReads } from "./recent-reads.ts";
import { shortenLargest } from "./shorten.ts";
import { spanBeforeExchange } from "./span.ts";
import { supersededReads } from "./superseded-reads.ts";
import { summaryPlanOf } from "./summary-due.ts";
import { tuningOf } from "./tuning.ts";
import type { Plan, Signals } from "./types.ts";

/** A forced cut breaks the cache, so it frees enough for a while: down to this share of the window. */
const targetShare = 0.5;
/** Clearing that frees less than this share of the window would be due again soon. */
const minShare = 0.25;

/**
 * Frees at least `needed` tokens, and more where that is possible: old results first, then a summary
 * of everything before the open exchange, then the largest parts of the exchange itself are
 * shortened. Null if nothing more can be cut.
 */
export function planForced(now: Signals, needed: number): Plan | null {
  const { usedTokens, effectiveTokens } = now.reading;
  const why = `the next request is ${Math.ceil(needed).toLocaleString("en")} tokens too large`;
  const goal = Math.max(needed, usedTokens - targetShare * effectiveTokens);
  const enough = Math.max(needed, Math.min(goal, minShare * effectiveTokens));
  const items = now.policy.policy === "economy" ? planAll(now, why) : null;
  if (items && freedBy(items) >= enough) return items;
  const clear = clearResults(now, { goal, enough }, why);
  if (freedBy(clear) >= enough) return clear;
  const span = spanBeforeExchange(now.view);
  if (span && isWorthSummary(now, span)) return summaryPlanOf(now, span, why);
  if (freedBy(clear) >= needed) return clear;
  return shortenLargest(now, needed, why) ?? (freedBy(clear) > 0 ? clear : null);
}

/**
 * Drops enough results to free `goal` tokens: stale reads first, then the oldest. Reads of active
 * files come last, and only as many as free `enough`.
 */
function clearResults(
  now: Signals,
  { goal, enough }: { goal: number; enough: number },
  why: string,
): Plan {
  const { view, policy, rules } = now;
  const tokens = tokensOf(view, rules);
  const results = cuttableResults(view, policy.keepResults);
  const stale = supersededReads(view);
  const useful = recentReads(view, tuningOf(policy));
  const rank = ({ entry: { id } }: ResultRow): number =>
    stale.has(id) ? 0 : useful.has(id) ? 2 : 1;
  const changes: Change[] = [];
  let freed = 0;
  for (const row of results.toSorted((a, b) => rank(a) - rank(b))) {
    if (freed >= (rank(row) === 2 ? enough : goal)) break;
    for (const change of replaceWhole(view, [row], "snipped")) {
      changes.push(change);
      freed += tokens(row) * (1 - change.text.length / row.chars);
    }
  }
  const action = `drop ${counted(changes.length, "old result")}`;
  return cutPlan(now, "snip", action, why, changes);
}
