/** What is cut when the next request would not fit. */

import type { Change } from "../protocol/entry.ts";
import { counted } from "../base/in-words.ts";
import { cutPlan, freedBy, isWorthSummary } from "./fit.ts";
import { rowTokens } from "./meter/meter.ts";
import { replaceWhole } from "./placeholder.ts";
import { cuttableResults } from "./protect.ts";
import { shortenLargest } from "./shorten.ts";
import { spanBeforeExchange } from "./span.ts";
import { clearable } from "./tiers/microcompact.ts";
import { summaryPlanOf } from "./tiers/summary.ts";
import type { Plan, Signals } from "./types.ts";

/** A forced cut breaks the cache, so it frees enough for a while: down to this share of the window. */
const targetShare = 0.5;
/** Clearing that frees less than this share of the window would be due again soon. */
const minShare = 0.25;

/**
 * Frees at least `needed` tokens, and more where that is possible: old results and inputs first, then a
 * summary of everything before the open exchange, then the largest parts of the exchange itself are
 * shortened. Null if nothing more can be cut.
 */
export function planForced(now: Signals, needed: number): Plan | null {
  const { usedTokens, effectiveTokens } = now.reading;
  const why = `the next request and its answer are ${Math.ceil(needed).toLocaleString("en")} tokens too large`;
  const goal = Math.max(needed, usedTokens - targetShare * effectiveTokens);
  const enough = Math.max(needed, Math.min(goal, minShare * effectiveTokens));
  const unneeded = clear(now, clearable(now), why);
  if (unneeded && freedBy(unneeded) >= enough) return unneeded;
  const oldest = clear(now, oldestResults(now, goal), why);
  if (oldest && freedBy(oldest) >= enough) return oldest;
  const span = spanBeforeExchange(now.view);
  if (span && isWorthSummary(now, span)) return summaryPlanOf(now, span, why);
  if (oldest && freedBy(oldest) >= needed) return oldest;
  return shortenLargest(now, needed, why) ?? (oldest && freedBy(oldest) > 0 ? oldest : null);
}

function clear(now: Signals, changes: Change[], why: string): Plan | null {
  if (changes.length === 0) return null;
  return cutPlan(now, "microcompact", `clear ${counted(changes.length, "old item")}`, why, changes);
}

/** As many of the oldest results as free `goal` tokens. */
function oldestResults({ view, policy, rules }: Signals, goal: number): Change[] {
  const tokens = rowTokens(view, rules);
  const changes: Change[] = [];
  let freed = 0;
  for (const row of cuttableResults(view, policy.keepResults)) {
    if (freed >= goal) break;
    for (const change of replaceWhole([row], "cleared")) {
      changes.push(change);
      freed += tokens.get(view.indexOf(row.entry.id) ?? 0) * (1 - change.text.length / row.chars);
    }
  }
  return changes;
}
