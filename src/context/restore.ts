/** What undoing a cut would cost, before it is done. */

import type { Entry, EntryId, Price } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { excess } from "./fit.ts";
import { measure } from "./meter.ts";
import { extraRoom } from "./pipeline.ts";
import { Projection } from "./view.ts";

/** `excessTokens`: tokens by which the next request would not fit; 0 or less: it fits. */
type RestoreEstimate = { price: Price; excessTokens: number };

/**
 * Projects the path with the restore appended, so the result is what the meter would show. As
 * expensive as opening the session.
 */
export function priceOfRestore(
  path: readonly Entry[],
  { cut, entry }: { cut: EntryId; entry?: EntryId | undefined },
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): RestoreEstimate {
  const projection = new Projection(path);
  const before = measure(projection.view, rules, policy, nowMs);
  const price = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
  const only = entry === undefined ? {} : { entry };
  projection.push({ id: "restored", parent: null, at: "", type: "restore", cut, ...only, price });
  const after = measure(projection.view, rules, policy, nowMs);
  const cachedBroken = Math.max(0, before.cache.tokens - after.cache.tokens);
  const { cacheWrite1h, cacheWrite5m, cacheRead } = rules.prices;
  const write = policy.cacheTtl === "1h" ? cacheWrite1h : cacheWrite5m;
  const restoredTokens = Math.max(0, after.usedTokens - before.usedTokens);
  return {
    price: {
      usedBefore: before.usedTokens,
      usedAfter: after.usedTokens,
      cachedBroken,
      // Everything after the first change is written again, together with what is restored.
      usd: (cachedBroken * (write - cacheRead) + restoredTokens * write) / 1e6,
      breakEvenCalls: null,
    },
    excessTokens: excess(after, rules) + extraRoom(policy, rules),
  };
}
