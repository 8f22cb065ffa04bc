/** Limits that end a turn although the model would continue. */

import type { TurnEnd } from "../protocol/event.ts";
import { counted } from "../base/format.ts";

export type Limits = {
  /** Model calls in a turn. */
  maxCalls?: number | undefined;
  /** The user is there, and may let the turn go on. */
  isAttended?: boolean;
  /** Spending limit of the run, in US dollars. */
  maxUsd?: number | undefined;
};

/** Cost of a run so far, in US dollars. Shared with the session's subagents. */
export type Spending = { usd: number };

/** The end of a turn that has reached a limit. `continues`: another call would follow. */
export function limitReached(
  { maxCalls = Infinity, maxUsd = Infinity, isAttended = false }: Limits,
  spent: { calls: number; usd: number },
  continues: boolean,
): TurnEnd | null {
  if (spent.usd >= maxUsd) {
    const message = `The run has cost $${spent.usd.toFixed(4)}; the limit is $${maxUsd}.`;
    return { why: "failed", limit: "budget", message };
  }
  if (!continues || spent.calls < maxCalls) return null;
  const message = isAttended
    ? `This turn has made ${counted(maxCalls, "call")}, as many as the setting maxCalls lets it. Send “continue” to go on.`
    : `The limit of ${counted(maxCalls, "call")} is reached.`;
  return { why: "failed", limit: "turns", message };
}
