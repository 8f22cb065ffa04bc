import type { TurnEnd } from "../protocol/event.ts";
import { counted } from "../protocol/in-words.ts";

/** When a turn ends even though the model would continue. */
export type Limits = {
  /** Model calls in a turn. */
  maxCalls?: number | undefined;
  /** What the run may cost, in US dollars. */
  maxUsd?: number | undefined;
};

/** What the calls of a run have cost, in US dollars. Shared with the session's subagents. */
export type Spending = { usd: number };

/** The end of a turn that has reached a limit. `continues`: another call would follow. */
export function limitReached(
  { maxCalls = Infinity, maxUsd = Infinity }: Limits,
  spent: { calls: number; usd: number },
  continues: boolean,
): TurnEnd | null {
  if (spent.usd >= maxUsd) {
    const message = `The run has cost $${spent.usd.toFixed(4)}; the limit is $${maxUsd}.`;
    return { why: "failed", limit: "budget", message };
  }
  if (!continues || spent.calls < maxCalls) return null;
  const message = `The limit of ${counted(maxCalls, "call")} is reached.`;
  return { why: "failed", limit: "turns", message };
}
