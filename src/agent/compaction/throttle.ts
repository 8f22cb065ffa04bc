/** Keeps compaction from retrying, asking or warning at every turn. */

import type { Forecast } from "../../context/forecast.ts";
import { summaryTokens } from "../../context/summary/when.ts";
import type { MeterReading } from "../../context/types.ts";
import type { Entry, Trigger } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";

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

/** Distance to the automatic summary, as a share of the window, at which the user is warned. */
const nearShare = 0.05;

/** Warns once that the automatic summary is near, and again only after the context was smaller. */
export class NearlyFull {
  #warned = false;

  /** Returns null when no warning is due. `next`: the forecast of the next turn's start. */
  warning(
    { utilization, leftTokens, usedTokens, effectiveTokens }: MeterReading,
    policy: Policy,
    next: () => Forecast["bySize"],
  ): string | null {
    if (utilization < summaryTokens({ effectiveTokens }, policy) / effectiveTokens - nearShare) {
      this.#warned = false;
      return null;
    }
    if (this.#warned) return null;
    const { autoCompact, compaction } = policy;
    const isOff = autoCompact === "off" || compaction === "off";
    const due = isOff ? null : next();
    // Clearing may be enough.
    if (!isOff && due?.tier !== "summary") return null;
    this.#warned = true;
    const used = `The context is ${Math.round(utilization * 100)} % full`;
    if (due === null) {
      const left = `${Math.max(0, leftTokens).toLocaleString("en")} tokens are left`;
      const hint =
        compaction === "off" ? "Only content that no longer fits will be removed." : focusHint;
      return `${used} (${left}) and automatic summaries are off. ${hint}`;
    }
    const does = due.asks ? "asks for a summary" : "begins with a summary";
    const at = Math.round((due.atTokens / effectiveTokens) * 100);
    const when = due.atTokens <= usedTokens ? "" : ` if more than ${at} % is full by then`;
    return `${used}. The next turn ${does}${when}. ${focusHint}`;
  }
}

const focusHint = "To choose what is kept, use /compact with a few words.";
