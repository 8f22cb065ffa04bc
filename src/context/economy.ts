/** Whether a cut pays: policy "economy". */

import type { Plan, Reading, View } from "./types.ts";

/** Calls that a session is expected to go on for, at least and at most. */
const horizon = { least: 15, most: 100 };

/** Cuts come in batches: fewer tokens than this share of the window are left for the next time. */
const leastShare = 0.02;

/**
 * A cold cache has to be written anyway, so every cut pays then. In a hot one it must pay for what
 * has to be written again within the calls that are still to come: about as many as there were.
 */
export function pays(plan: Plan, view: View, reading: Reading): boolean {
  if (reading.cache.state !== "hot") return true;
  const freed = plan.price.usedBefore - plan.price.usedAfter;
  if (freed < leastShare * reading.effectiveTokens) return false;
  const calls = view.rows.reduce((sum, { entry }) => sum + (entry.type === "assistant" ? 1 : 0), 0);
  const expected = Math.min(horizon.most, Math.max(horizon.least, calls));
  return plan.price.breakEvenCalls !== null && plan.price.breakEvenCalls <= expected;
}
