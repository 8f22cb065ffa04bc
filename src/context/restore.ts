/** What taking a cut back would bring, before it is done. */

import type { Entry, EntryId, Price } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { excess } from "./fit.ts";
import { measure } from "./meter.ts";
import { Projection } from "./view.ts";

/** `excessTokens`: by so much the next request would not fit; 0 or less, it fits. */
export type Restored = { price: Price; excessTokens: number };

/**
 * Follows the path once with the restore behind it, so what is told is what the meter would say.
 * Costs as much as opening the session: for a key that is pressed now and then.
 */
export function priceOfRestore(
  path: readonly Entry[],
  { cut, entry }: { cut: EntryId; entry?: EntryId },
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): Restored {
  const projection = new Projection(path);
  const before = measure(projection.view, rules, policy, nowMs);
  const price = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
  const only = entry === undefined ? {} : { entry };
  const head = path.at(-1);
  projection.push({
    id: "restored",
    parent: head?.id ?? null,
    at: head?.at ?? "",
    type: "restore",
    cut,
    ...only,
    price,
  });
  const after = measure(projection.view, rules, policy, nowMs);
  const cachedBroken = Math.max(0, before.cache.tokens - after.cache.tokens);
  const { cacheWrite1h, cacheWrite5m, cacheRead } = rules.prices;
  const write = policy.cacheTtl === "1h" ? cacheWrite1h : cacheWrite5m;
  const broughtTokens = Math.max(0, after.usedTokens - before.usedTokens);
  return {
    price: {
      usedBefore: before.usedTokens,
      usedAfter: after.usedTokens,
      cachedBroken,
      // What is behind the first change is written again, together with what comes back.
      usd: (cachedBroken * (write - cacheRead) + broughtTokens * write) / 1e6,
      breakEvenCalls: null,
    },
    excessTokens: excess(after, rules),
  };
}
