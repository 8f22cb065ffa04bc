/** A plan of changes, with its price. */

import type { Change, TierName } from "../../protocol/entry.ts";
import { priceChanges } from "../meter/cache.ts";
import type { Plan, Signals } from "../types.ts";

/** The cut that makes these changes. */
export const cutPlan = (
  now: Signals,
  tier: TierName,
  action: string,
  why: string,
  changes: Change[],
): Extract<Plan, { changes: unknown }> => ({
  tier,
  action,
  reason: `${action}: ${why}`,
  changes,
  price: priceChanges(now, changes),
});
