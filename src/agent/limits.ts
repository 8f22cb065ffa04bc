/** Limits that end a turn although the model would continue. */

import type { ToolUseBlock } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";
import type { TurnEnd } from "../protocol/event.ts";
import { counted } from "../base/in-words.ts";

export type Limits = {
  /** Model calls in a turn. */
  maxCalls?: number | undefined;
  /** Spending limit of the run, in US dollars. */
  maxUsd?: number | undefined;
};

/** Cost of a run so far, in US dollars. Shared with the session's subagents. */
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

/** High enough for a model that polls for something. */
const maxRepeats = 25;

/**
 * Ends a turn that goes in circles: when the window is too small for the task, a model reads the
 * same files again and again, and nothing else would stop it. A new result counts as progress.
 */
export class LoopGuard {
  readonly #seen = new Set<string>();
  /** How often each result came again since the last new one. */
  readonly #repeats = new Map<string, number>();

  /** Returns a message when one of these calls has given the same result too often. `path` includes the results. */
  check(calls: readonly ToolUseBlock[], path: readonly Entry[]): string | null {
    for (const { id, name, input } of calls) {
      const result = path.findLast((entry) => entry.type === "result" && entry.toolUse === id);
      if (result?.type !== "result") continue;
      const key = Bun.hash(JSON.stringify([name, input, result.content])).toString();
      if (!this.#seen.has(key)) {
        this.#seen.add(key);
        this.#repeats.clear();
        continue;
      }
      const times = (this.#repeats.get(key) ?? 1) + 1;
      this.#repeats.set(key, times);
      if (times >= maxRepeats)
        return `The model made the same ${name} call ${times} times and learned nothing new in between, so the turn was stopped. If the context is too small for the task, use a larger window or a smaller task.`;
    }
    return null;
  }
}
