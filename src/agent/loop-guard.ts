import type { ToolUseBlock } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";

/** High enough for a model that polls for something. */
const maxRepeats = 25;

/**
 * Ends a turn that goes in circles: when the window is too small for the task, a model reads the
 * same files again and again, and nothing else would stop it.
 */
export class LoopGuard {
  readonly #seen = new Map<string, number>();

  /** Returns a message when one of these calls has given the same result too often. `path` includes the results. */
  check(calls: readonly ToolUseBlock[], path: readonly Entry[]): string | null {
    for (const { id, name, input } of calls) {
      const result = path.findLast((entry) => entry.type === "result" && entry.toolUse === id);
      if (result?.type !== "result") continue;
      const key = Bun.hash(JSON.stringify([name, input, result.content])).toString();
      const times = (this.#seen.get(key) ?? 0) + 1;
      this.#seen.set(key, times);
      if (times >= maxRepeats)
        return `The model made the same ${name} call ${times} times in this turn and got the same result each time, so the turn was stopped. If the context is too small for the task, use a larger window or a smaller task.`;
    }
    return null;
  }
}
