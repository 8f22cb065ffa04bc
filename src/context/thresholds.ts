/** The tiers of the policy "thresholds": each acts exactly at its share of the window. */

import { textOf } from "../protocol/block.ts";
import type { Change } from "../protocol/entry.ts";
import { counted } from "../base/in-words.ts";
import { ttlMs } from "../protocol/model.ts";
import { cutPlan, freedBy } from "./fit.ts";
import { headAndTail, replaceWhole } from "./placeholder.ts";
import { cuttableResults } from "./protect.ts";
import { summary } from "./summary-due.ts";
import { surplusResults, supersededReads } from "./superseded-reads.ts";
import { isSearch, isShell } from "./tool-names.ts";
import type { Plan, Signals } from "./types.ts";

/** The first of them that frees something. */
export function byThresholds(now: Signals): Plan | null {
  for (const tier of [budget, snip, microcompact]) {
    const plan = tier(now);
    if (plan && freedBy(plan) > 0) return plan;
  }
  return summary(now);
}

/** Tier 1: as the window fills, older large results keep their head and tail. */
export function budget(now: Signals): Plan | null {
  const { view, reading, policy } = now;
  const { utilization } = reading;
  if (utilization < policy.budgetAt) return null;
  const isTight = utilization > policy.budgetTightAt;
  const maxChars = isTight ? policy.budgetTightChars : policy.budgetChars;
  const changes = cuttableResults(view, policy.keepResults).flatMap((row): Change[] => {
    // A little more than the budget is not worth a cut, and a trimmed result stays within it.
    const shown = row.text?.length ?? textOf(row.entry.content).length;
    if (shown <= maxChars * 1.1) return [];
    return [{ kind: "replace", entry: row.entry.id, text: headAndTail(row, maxChars) }];
  });
  if (changes.length === 0) return null;
  const action = `trim ${counted(changes.length, "large result")}`;
  const reason = `${action} to ${maxChars.toLocaleString("en")} characters: ${percent(utilization)} used`;
  return { ...cutPlan(now, "budget", action, "", changes), reason };
}

/** Tier 2: reads that a later read or write made stale, and searches beyond the newest. */
export function snip(now: Signals): Plan | null {
  const { view, reading, policy } = now;
  const { utilization } = reading;
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
  return cutPlan(now, "snip", action, `${percent(utilization)} used`, changes);
}

/** Tier 3: the prompt cache is cold, so clearing all older results costs nothing. */
export function microcompact(now: Signals): Plan | null {
  const { view, reading, policy } = now;
  const { idleMs } = reading;
  if (idleMs === null || idleMs <= ttlMs[policy.cacheTtl]) return null;
  const changes = replaceWhole(view, cuttableResults(view, policy.keepResults), "cleared");
  if (changes.length === 0) return null;
  const action = `clear ${counted(changes.length, "old result")}`;
  const why = `idle for ${Math.round(idleMs / 60_000)} minutes, the cache is cold`;
  return cutPlan(now, "microcompact", action, why, changes);
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
