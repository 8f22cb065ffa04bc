/** Which clearable items are worth cutting now, as the plan of one tier. */

import type { Change } from "../protocol/entry.ts";
import { clearableItems, type ClearableItem, type ItemTier } from "./clearable.ts";
import { counted } from "../base/in-words.ts";
import { cutPlan, freedBy } from "./fit.ts";
import { rowTokens } from "./meter.ts";
import { tuningOf } from "./tuning.ts";
import type { Plan, Signals } from "./types.ts";

/** Tokens that a cut must free where it breaks no cache. */
const minColdTokens = 1_000;

/**
 * At a turn's start: in a cold cache all clearable items, since everything is written again anyway; in
 * a hot one the batch that saves most, if it pays for what must be written again. A batch becomes one
 * cut per tier. The first one breaks the cache, so the others follow at once.
 */
export function planBatch(now: Signals): Plan | null {
  const items = clearableItems(now);
  if (freedByAll(items) < minColdTokens) return null;
  const hot = now.reading.cache.tokens > 0;
  const chosen = hot ? bestBatch(now, items) : items;
  const freed = freedByAll(chosen);
  if (freed < minColdTokens) return null;
  const plan = firstTier(
    now,
    chosen,
    hot ? "keeping it costs more than cutting it" : "the cache is cold",
  );
  if (!plan) return null;
  return plan.price.cachedBroken > 0 && freed < tuningOf(now.policy).minHotTokens ? null : plan;
}

/** Everything that can be cleared, tier by tier, because the window requires it. */
export const planAll = (now: Signals, why: string): Plan | null =>
  firstTier(now, clearableItems(now), why);

/** Tokens that clearing everything would free. */
export const clearableTokens = (now: Signals): number => freedByAll(clearableItems(now));

const freedByAll = (items: readonly ClearableItem[]): number =>
  items.reduce((sum, { freed }) => sum + freed, 0);

/** The items of the tier that starts first: the other tiers then come after its break in the cache. */
function firstTier(now: Signals, items: readonly ClearableItem[], why: string): Plan | null {
  for (const tier of new Set(items.map((item) => item.tier))) {
    const changes: Change[] = [];
    for (const item of items) if (item.tier === tier) changes.push(...item.changes());
    const plan = cutPlan(now, tier, describe(tier, changes), why, changes);
    if (freedBy(plan) > 0) return plan;
  }
  return null;
}

function describe(tier: ItemTier, changes: readonly Change[]): string {
  const results = changes.filter(({ kind }) => kind === "replace").length;
  const inputs = changes.length - results;
  if (tier === "budget") return `trim ${counted(results, "large result")}`;
  if (tier === "snip") return `drop ${counted(results, "stale result")}`;
  const parts = [
    results > 0 ? counted(results, "old result") : "",
    inputs > 0 ? counted(inputs, "long input") : "",
  ];
  return `clear ${parts.filter((part) => part !== "").join(" and ")}`;
}

/**
 * The items from the row on where clearing saves most. The thinking before a cut is removed with it,
 * so a cut after the first thinking breaks the cache there.
 */
function bestBatch(
  { view, reading, policy, rules }: Signals,
  items: readonly ClearableItem[],
): readonly ClearableItem[] {
  const { prices } = rules;
  const tokensOf = rowTokens(view, rules);
  const { payback } = tuningOf(policy);
  const { usedTokens, cache } = reading;
  const write = policy.cacheTtl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
  const calls = Math.min(payback.max, Math.max(payback.min, view.calls));
  const { sentFrom } = view;
  const clearable = new Map<number, number>();
  for (const { row, freed } of items) clearable.set(row, (clearable.get(row) ?? 0) + freed);
  let freed = 0;
  let after = 0;
  let best: { gain: number; row: number } | null = null;
  for (let index = view.rows.length - 1; index >= sentFrom; index--) {
    const row = view.rows[index];
    if (!row) continue;
    const tokens = tokensOf.get(index);
    const thinkingChars = row.charsByKind.thinking;
    const thinking = thinkingChars === 0 ? 0 : (tokens * thinkingChars) / row.chars;
    after += tokens;
    const clears = clearable.get(index) ?? 0;
    freed += Math.min(tokens, thinking + clears);
    // A batch after this row would break the cache here.
    if (thinkingChars > 0) best = null;
    if (clears === 0 && thinkingChars === 0) continue;
    const broken = Math.max(0, cache.tokens - Math.max(0, usedTokens - after));
    const rewritten = Math.min(broken, after - freed);
    const gain = freed * prices.cacheRead * calls - rewritten * (write - prices.cacheRead);
    if (gain > (best?.gain ?? 0)) best = { gain, row: index };
  }
  const from = best?.row;
  return from === undefined ? [] : items.filter(({ row }) => row >= from);
}
