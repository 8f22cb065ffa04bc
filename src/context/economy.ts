/** Policy "economy": which results may go, when, and in which batches. */

import type { Change } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { replaceWhole } from "./clear.ts";
import { usefulReads } from "./keep.ts";
import { cuttableResults, type ResultRow } from "./protect.ts";
import type { Plan, Signals, View } from "./types.ts";

/** Calls that a session is expected to go on for, at least and at most: about as many as there were. */
const horizon = { least: 20, most: 100 };

/** Cuts come in batches: fewer tokens than these are left for the next time. */
const leastTokens = { hot: 4_000, cold: 1_000 };

/** Results of fewer characters are not worth their placeholder. */
const leastChars = 200;

/** A cut that the window forces breaks the cache anyway: it should free this share, or a summary is due. */
const forcedShare = 0.3;

/** Of a placeholder. */
const placeholderTokens = 40;

/**
 * At a turn's start: old results whose text later calls will hardly need. A cold cache has to be
 * written anyway, so all of them go then; from a hot one those whose going pays for what has to be
 * written again, within the calls that are still to come.
 */
export function economise(
  view: View,
  now: Signals,
  policy: Policy,
  rules: ModelRules,
): Plan | null {
  const hot = now.reading.cache.state === "hot";
  const rows = expendable(view, policy);
  const chosen = hot ? bestBatch(view, now, rows, policy, rules) : rows;
  const plan = clearing(
    view,
    now,
    chosen,
    hot ? "they cost more than they are worth" : "the cache is cold",
  );
  const least = hot ? leastTokens.hot : leastTokens.cold;
  return plan && plan.price.usedBefore - plan.price.usedAfter >= least ? plan : null;
}

/** When the next request would not fit: everything expendable at once, if that makes room for long. */
export function relieve(view: View, now: Signals, policy: Policy): Plan | null {
  const plan = clearing(view, now, expendable(view, policy), "the next request would not fit");
  const freed = plan ? plan.price.usedBefore - plan.price.usedAfter : 0;
  return freed >= forcedShare * now.reading.effectiveTokens ? plan : null;
}

function clearing(
  view: View,
  now: Signals,
  rows: readonly ResultRow[],
  why: string,
): Extract<Plan, { changes: Change[] }> | null {
  const changes = replaceWhole(view, rows, "cleared");
  if (changes.length === 0) return null;
  const reason = `${changes.length} older results: ${why}`;
  return { tier: "microcompact", reason, changes, price: now.priceOf(changes) };
}

function expendable(view: View, policy: Policy): ResultRow[] {
  const useful = usefulReads(view);
  return cuttableResults(view, policy.keepResults).filter(
    (row) => row.chars > leastChars && !useful.has(row.entry.id),
  );
}

/** From which result on clearing gains most; thinking goes with every edit, so nothing behind it is kept hot. */
function bestBatch(
  view: View,
  now: Signals,
  rows: readonly ResultRow[],
  policy: Policy,
  { prices }: ModelRules,
): readonly ResultRow[] {
  const write = policy.cacheTtl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
  const calls = Math.min(horizon.most, Math.max(horizon.least, view.calls));
  const mayGo = new Set(rows.map(({ entry }) => entry.id));
  const firstThinking = view.rows.findIndex(({ weight }) => weight.thinking > 0);
  let freed = 0;
  let behind = 0;
  let best: { gain: number; row: number } | null = null;
  for (let index = view.rows.length - 1; index >= 0; index--) {
    const row = view.rows[index];
    if (!row) continue;
    const tokens = now.tokensOf(row);
    const thinking = (tokens * row.weight.thinking) / Math.max(1, row.chars);
    const goes = mayGo.has(row.entry.id);
    const stays = goes ? Math.min(tokens, placeholderTokens) : tokens - thinking;
    freed += tokens - stays;
    behind += stays;
    const breaksHere = firstThinking === -1 || index <= firstThinking;
    if (!breaksHere || !(goes || index === firstThinking)) continue;
    const gain = freed * prices.cacheRead * calls - behind * (write - prices.cacheRead);
    if (gain > (best?.gain ?? 0)) best = { gain, row: index };
  }
  if (!best) return [];
  const from = best.row;
  return rows.filter(({ entry }) => (view.indexOf(entry.id) ?? 0) >= from);
}
