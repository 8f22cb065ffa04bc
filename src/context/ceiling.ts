/** The soft ceiling: where reading the history, call after call, costs more than a summary of it. */

import type { Span } from "../protocol/entry.ts";
import { spanTo, turnStart } from "./span.ts";
import type { Plan, Signals, View } from "./types.ts";

/**
 * A smaller window asks for summaries itself soon enough. A big one never does, and the whole history
 * is paid for with every call. `clear`: the cut that is due anyway, which may be enough in a small one.
 */
const bigWindow = 400_000;
/** Calls since the last summary; tokens of the newest exchanges that stay; share that it must free. */
const small = { atTokens: 105_000, fewestCalls: 60, tailTokens: 10_000, leastShare: 0.35 };
const big = { atTokens: 60_000, fewestCalls: 20, tailTokens: 5_000, leastShare: 0.5 };

export function ceiling(view: View, now: Signals, clear: Plan | null): Plan | null {
  const { usedTokens, windowTokens } = now.reading;
  const isBig = windowTokens >= bigWindow;
  const { atTokens, fewestCalls, tailTokens, leastShare } = isBig ? big : small;
  // In a cold cache the cut comes first, so that the summary's own call has less to write.
  const only = isBig && now.reading.cache.state === "hot";
  const stays = only ? usedTokens : (clear?.price.usedAfter ?? usedTokens);
  if (stays < atTokens) return null;
  if (callsSinceSummary(view) < fewestCalls) return null;
  const span = spanBefore(view, now, tailTokens);
  if (!span) return null;
  const price = now.priceOfSummary(span);
  if (price.usedBefore - price.usedAfter < leastShare * usedTokens) return null;
  const reason = `above ${atTokens.toLocaleString("en")} tokens the history costs more than a summary of it`;
  return { tier: "summary", reason, summarise: span, price };
}

function callsSinceSummary(view: View): number {
  const covered = view.rows.findLastIndex(({ shown }) => shown === "covered");
  return view.rows.slice(covered + 1).filter(({ entry }) => entry.type === "assistant").length;
}

/** Everything before the newest turn but its last exchanges, as many as fit into `tailTokens`. */
function spanBefore(view: View, now: Signals, tailTokens: number): Span | null {
  let end = turnStart(view);
  let tail = 0;
  for (let index = end - 1; index >= 0; index--) {
    const row = view.rows[index];
    if (!row || row.shown === "covered") break;
    tail += now.tokensOf(row);
    if (tail > tailTokens) break;
    if (row.entry.type === "assistant" || row.entry.type === "user") end = index;
  }
  return spanTo(view, end - 1);
}
