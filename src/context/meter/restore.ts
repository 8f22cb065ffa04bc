/** The price of undoing a cut, before it is done. */

import type { Entry, EntryId, Price } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { writePrice } from "./cache.ts";
import { excess } from "../rules/window.ts";
import { measure } from "./meter.ts";
import { Projection } from "../view/view.ts";

/** `entry`: the only one that is restored. `redo`: the undo is reversed. */
type RestoreTarget = { cut: EntryId; entry?: EntryId | undefined; redo?: boolean | undefined };

/**
 * `excessTokens`: tokens by which the next request would not fit; 0 or less: it fits. `isRejected`: the cut cannot
 * apply again.
 */
type RestoreEstimate = { price: Price; excessTokens: number; isRejected: boolean };

/** Projects the path with the restore appended, so the result is what the meter would show. */
export function priceRestore(
  path: readonly Entry[],
  { cut, entry, redo }: RestoreTarget,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): RestoreEstimate {
  const projection = new Projection(path);
  const before = measure(projection.view, rules, policy, nowMs);
  const price = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
  const only = {
    ...(entry === undefined ? {} : { entry }),
    ...(redo ? { redo: true as const } : {}),
  };
  const id = "restored";
  projection.push({ id, parent: null, at: "", type: "restore", cut, ...only, price });
  const after = measure(projection.view, rules, policy, nowMs);
  const cachedBroken = Math.max(0, before.cache.tokens - after.cache.tokens);
  const { cacheRead } = rules.prices;
  const write = writePrice(rules, policy);
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
    excessTokens: excess(after, rules),
    isRejected: projection.view.rejected.some(({ cut: rejected }) => rejected === id),
  };
}
