/**
 * The forced cut. Fires when the next request would not fit, also in the middle of a tool loop. Clears
 * old results, the oldest too if they may be needed; else summarizes everything before the open
 * exchange; else keeps head and tail of the largest texts, even those of the open exchange. Touches what is
 * pinned and the newest message only when nothing else is left.
 */

import { counted } from "../../base/in-words.ts";
import { freedBy, priceChanges } from "../meter/cache.ts";
import { rowTokens } from "../view/row-tokens.ts";
import { spanBeforeExchange } from "../summary/span.ts";
import type { Plan, Signals } from "../types.ts";
import { clearable } from "./microcompact.ts";
import { cutPlan } from "./plan.ts";
import { cuttableResults } from "./protect.ts";
import { replaceWhole } from "./replacement.ts";
import { shortenLargest } from "./shorten.ts";
import { isWorthSummary, planSummary } from "./summary.ts";

/** A forced cut breaks the cache, so it frees enough for a while: down to this share of the window. */
const targetShare = 0.5;
/** Clearing that frees less than this share of the window would be due again soon. */
const minShare = 0.25;

/** Frees at least `needed` tokens, and more where that is possible. Null if nothing more can be cut. */
export function planForced(now: Signals, needed: number): Plan | null {
  const { usedTokens, effectiveTokens } = now.reading;
  const why = `the next request and its answer are ${Math.ceil(needed).toLocaleString("en")} tokens too large`;
  const goal = Math.max(needed, usedTokens - targetShare * effectiveTokens);
  const enough = Math.max(needed, Math.min(goal, minShare * effectiveTokens));
  const cleared = clearOldest(now, goal, why);
  const freed = cleared ? freedBy(cleared) : 0;
  if (freed >= enough) return cleared;
  const span = spanBeforeExchange(now.view);
  if (span && isWorthSummary(now, span)) return planSummary(now, span, why);
  if (freed >= needed) return cleared;
  return shortenLargest(now, needed, why) ?? (freed > 0 ? cleared : null);
}

/** Clears what will hardly be needed, and of what may be needed the oldest, until that frees `goal` tokens. */
function clearOldest(now: Signals, goal: number, why: string): Plan | null {
  const { view, policy, rules } = now;
  const changes = clearable(now);
  const taken = new Set(changes.map((change) => ("entry" in change ? change.entry : "")));
  const tokens = rowTokens(view, rules);
  const { usedBefore, usedAfter } = priceChanges(now, changes);
  let freed = usedBefore - usedAfter;
  for (const row of cuttableResults(view, policy.keepResults)) {
    if (freed >= goal) break;
    if (taken.has(row.entry.id)) continue;
    for (const change of replaceWhole(view, [row], "cleared")) {
      changes.push(change);
      freed +=
        (tokens[view.indexOf(row.entry.id) ?? 0] ?? 0) * (1 - change.text.length / row.chars);
    }
  }
  if (changes.length === 0) return null;
  return cutPlan(now, "microcompact", `clear ${counted(changes.length, "old item")}`, why, changes);
}
