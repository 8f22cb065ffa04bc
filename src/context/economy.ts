/** Policy "economy": when what is expendable goes, and in which batches. */

import type { Change } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { clearableItems, type ClearableItem } from "./clearable-items.ts";
import type { Plan, Signals, View } from "./types.ts";

/**
 * Calls until the next cut will be free or due, at least and at most: about as many as there were.
 * Between these it hardly matters.
 */
const horizon = { least: 20, most: 60 };

/** Cuts come in batches: fewer tokens than these are left for the next time. */
const leastTokens = { hot: 16_000, cold: 1_000 };

/** A cut that the window forces breaks the cache anyway: it should free this share, or a summary is due. */
const forcedShare = 0.3;

/**
 * At a turn's start: old results and inputs whose text later calls will hardly need. A cold cache has
 * to be written anyway, so all of them go then; from a hot one those whose going pays for what has to
 * be written again, within the calls that are still to come.
 */
export function planEconomy(
  view: View,
  now: Signals,
  policy: Policy,
  rules: ModelRules,
): Plan | null {
  const hot = now.reading.cache.state === "hot";
  const items = clearableItems(view, now, policy);
  const chosen = hot ? bestBatch(view, now, items, policy, rules) : items;
  const why = hot ? "they cost more than they are worth" : "the cache is cold";
  const plan = clearing(now, chosen, why);
  const least = hot ? leastTokens.hot : leastTokens.cold;
  return plan && plan.price.usedBefore - plan.price.usedAfter >= least ? plan : null;
}

/** When the next request would not fit: everything expendable at once, if that makes room for long. */
export function freeSpace(view: View, now: Signals, policy: Policy): Plan | null {
  const plan = clearing(now, clearableItems(view, now, policy), "the next request would not fit");
  const freed = plan ? plan.price.usedBefore - plan.price.usedAfter : 0;
  return freed >= forcedShare * now.reading.effectiveTokens ? plan : null;
}

function clearing(now: Signals, items: readonly ClearableItem[], why: string): Plan | null {
  const changes = items.flatMap((item): Change[] => item.changes);
  if (changes.length === 0) return null;
  const count = (kind: Change["kind"]): number =>
    changes.filter((change) => change.kind === kind).length;
  const what = [
    count("replace") > 0 ? `${count("replace")} older results` : "",
    count("input") > 0 ? `the long inputs of ${count("input")} older calls` : "",
  ].filter((part) => part !== "");
  const reason = `${what.join(" and ")}: ${why}`;
  return { tier: "microcompact", reason, changes, price: now.priceOf(changes) };
}

/** From which item on clearing gains most; thinking goes with every edit, so nothing behind it is kept hot. */
function bestBatch(
  view: View,
  now: Signals,
  items: readonly ClearableItem[],
  policy: Policy,
  { prices }: ModelRules,
): readonly ClearableItem[] {
  const write = policy.cacheTtl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
  const calls = Math.min(horizon.most, Math.max(horizon.least, view.calls));
  const mayGo = new Map<number, number>();
  for (const { row, freed } of items) mayGo.set(row, (mayGo.get(row) ?? 0) + freed);
  const firstThinking = view.rows.findIndex(({ charsByKind }) => charsByKind.thinking > 0);
  let freed = 0;
  let behind = 0;
  let best: { gain: number; row: number } | null = null;
  for (let index = view.rows.length - 1; index >= 0; index--) {
    const row = view.rows[index];
    if (!row) continue;
    const tokens = now.tokensOf(row);
    const thinking = (tokens * row.charsByKind.thinking) / Math.max(1, row.chars);
    const goes = Math.min(tokens, thinking + (mayGo.get(index) ?? 0));
    freed += goes;
    behind += tokens - goes;
    const breaksHere = firstThinking === -1 || index <= firstThinking;
    if (!breaksHere || !(mayGo.has(index) || index === firstThinking)) continue;
    const gain = freed * prices.cacheRead * calls - behind * (write - prices.cacheRead);
    if (gain > (best?.gain ?? 0)) best = { gain, row: index };
  }
  if (!best) return [];
  const from = best.row;
  return items.filter(({ row }) => row >= from);
}
