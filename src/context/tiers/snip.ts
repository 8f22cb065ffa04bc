import type { Policy } from "../../protocol/policy.ts";
import { replaceWhole } from "../clear.ts";
import { counted } from "../../protocol/in-words.ts";
import { cuttableResults } from "../protect.ts";
import { surplusResults, supersededReads } from "../superseded-reads.ts";
import { isSearch, isShell } from "../tool-names.ts";
import type { Plan, Signals, View } from "../types.ts";

/** Tier 2: reads that a later read or write made stale, and searches beyond the newest. */
export function snip(view: View, now: Signals, policy: Policy): Plan | null {
  const { utilization } = now.reading;
  if (utilization <= policy.snipAt) return null;
  const searches = surplusResults(
    view,
    policy.keepSearches,
    (tool) => isSearch(tool) || isShell(tool),
  );
  const stale = new Set([...supersededReads(view), ...searches]);
  const rows = cuttableResults(view, policy.keepResults).filter((row) => stale.has(row.entry.id));
  const changes = replaceWhole(view, rows, "snipped");
  if (changes.length === 0) return null;
  const action = `drop ${counted(changes.length, "stale result")}`;
  const reason = `${action}: ${Math.round(utilization * 100)} % used`;
  return { tier: "snip", action, reason, changes, price: now.priceOf(changes) };
}
