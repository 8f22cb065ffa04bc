/** What a session cost: in total, by kind of token, by call, by cut. Pure. */

import { billedFor } from "../../protocol/billed.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";
import {
  addUsage,
  costOf,
  priceListOf,
  usedBy,
  type Prices,
  type Usage,
} from "../../protocol/model.ts";

export type Charge = {
  entry: EntryId;
  /** A model's answer, the summary of a cut, one that was not used, or a refresh of the cache. */
  what: "call" | "summary" | "unused summary" | "cache kept alive";
  model: string;
  usage: Usage;
  prices: Prices;
  usd: number;
  /** What its prompt was estimated to cost, and did cost; null without an estimate. */
  prompt: { estimatedUsd: number; billedUsd: number } | null;
};

export type Bill = {
  /** Oldest first. */
  charges: Charge[];
  usage: Usage;
  usd: number;
  /** Dollars by kind of token. */
  by: { input: number; cacheRead: number; cacheWrite: number; output: number };
  cuts: { made: number; freedTokens: number; brokenTokens: number };
};

const none: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };

/** Every call at the prices of its model. */
export function billOf(
  path: Iterable<Entry>,
  pricesOf: (model: string) => Prices,
  estimates: ReadonlyMap<EntryId, number> = new Map(),
): Bill {
  const charges: Charge[] = [];
  const cuts = { made: 0, freedTokens: 0, brokenTokens: 0 };
  let model = "";
  for (const entry of path) {
    if (entry.type === "session" || entry.type === "model") model = entry.model;
    if (entry.type === "cut") {
      cuts.made++;
      cuts.freedTokens += entry.price.usedBefore - entry.price.usedAfter;
      cuts.brokenTokens += entry.price.cachedBroken;
    }
    const usage = billedFor(entry);
    if (!usage || usedBy(usage) === 0) continue;
    charges.push(chargeFor(entry, model, usage, pricesOf(model), estimates.get(entry.id)));
  }
  const sumOf = (part: (usage: Usage) => Partial<Usage>): number =>
    charges.reduce(
      (sum, { usage, prices }) =>
        sum + costOf({ ...none, ...part(usage) }, priceListOf(usage, prices)),
      0,
    );
  return {
    charges,
    usage: charges.reduce((sum, { usage }) => addUsage(sum, usage), none),
    usd: charges.reduce((sum, { usd }) => sum + usd, 0),
    by: {
      input: sumOf(({ input }) => ({ input })),
      cacheRead: sumOf(({ cacheRead }) => ({ cacheRead })),
      cacheWrite: sumOf(({ cacheWrite, cacheWrite1h = 0 }) => ({ cacheWrite, cacheWrite1h })),
      output: sumOf(({ output }) => ({ output })),
    },
    cuts,
  };
}

const kinds: Partial<Record<Entry["type"], Charge["what"]>> = {
  cut: "summary",
  attempt: "unused summary",
  refresh: "cache kept alive",
};

function chargeFor(
  { id, type }: Entry,
  model: string,
  usage: Usage,
  prices: Prices,
  estimatedUsd: number | undefined,
): Charge {
  const prompt =
    estimatedUsd === undefined
      ? null
      : { estimatedUsd, billedUsd: costOf({ ...usage, output: 0 }, prices) };
  const what = kinds[type] ?? "call";
  return { entry: id, what, model, usage, prices, usd: costOf(usage, prices), prompt };
}
