/** Keeps compaction from retrying or asking at every turn. */

import type { Entry, Trigger } from "../../protocol/entry.ts";

export const isByHand = (trigger: Trigger): boolean =>
  trigger === "key" || trigger === "command" || trigger === "inspector";

/** Failures in a row since the last success or attempt by hand, and where the latest is on the path. */
export function countFailures(
  path: readonly Entry[],
  by: "model" | "server",
): { count: number; lastRow: number } {
  let count = 0;
  let lastRow = -1;
  for (let row = path.length - 1; row >= 0; row--) {
    const entry = path[row];
    if (entry?.type === "cut" && entry.summary?.by === by) break;
    if (entry?.type !== "attempt" || entry.by !== by || entry.outcome === "stopped") continue;
    // The summary was written; the user did not want it.
    if (entry.outcome === "declined") break;
    if (lastRow === -1) lastRow = row;
    count = entry.outcome === "refused" ? Number.POSITIVE_INFINITY : count + 1;
    if (isByHand(entry.trigger)) break;
  }
  return { count, lastRow };
}

/** Failures in a row after which summaries are built without a model. */
export const maxFailures = 3;

/** The path must have grown by this factor before a model that kept failing is asked again. */
const muchGrowth = 1.5;

/** Circuit breaker: whether `by` should not be asked for a summary, unless by hand. */
export function isBlocked(path: readonly Entry[], by: "model" | "server"): boolean {
  const { count, lastRow } = countFailures(path, by);
  if (count === Number.POSITIVE_INFINITY) return true;
  return count >= maxFailures && path.length < (lastRow + 1) * muchGrowth;
}
