import type { ToolUseBlock } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";

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
