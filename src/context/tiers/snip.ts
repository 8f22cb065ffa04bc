import type { Policy } from "../../protocol/policy.ts";
import { replaceWhole } from "../clear.ts";
import { cuttableResults } from "../protect.ts";
import { surplusSearches, supersededReads } from "../superseded-reads.ts";
import type { Plan, Signals, View } from "../types.ts";

/** Tier 2: reads that a later read or write made stale, and searches that newer ones pushed out. */
export function snip(view: View, now: Signals, policy: Policy): Plan | null {
  if (now.reading.utilisation <= policy.snipAt) return null;
  const stale = new Set([...supersededReads(view), ...surplusSearches(view, policy.keepSearches)]);
  const rows = cuttableResults(view, policy.keepResults).filter((row) => stale.has(row.entry.id));
  const changes = replaceWhole(view, rows, "snipped");
  if (changes.length === 0) return null;
  const share = Math.round(now.reading.utilisation * 100);
  const reason = `${share} % used: ${changes.length} stale reads and older searches`;
  return { tier: "snip", reason, changes, price: now.priceOf(changes) };
}
