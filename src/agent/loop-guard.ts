import type { ToolUseBlock } from "../protocol/block.ts";
import type { Entry } from "../protocol/entry.ts";

/** So often may one call give one and the same result in a turn: who waits for something asks often. */
const mostRepeats = 25;

/**
 * Ends a turn that goes round in circles: a window too small for the task makes a model read the same
 * files again and again, and nothing else would ever stop it.
 */
export class LoopGuard {
  readonly #seen = new Map<string, number>();

  /** A sentence when one of these calls has given the same result too often; `path` ends with the results. */
  check(calls: readonly ToolUseBlock[], path: readonly Entry[]): string | null {
    for (const { id, name, input } of calls) {
      const result = path.findLast((entry) => entry.type === "result" && entry.toolUse === id);
      if (result?.type !== "result") continue;
      const key = Bun.hash(JSON.stringify([name, input, result.content])).toString();
      const times = (this.#seen.get(key) ?? 0) + 1;
      this.#seen.set(key, times);
      if (times >= mostRepeats)
        return `The model made the same call of ${name} ${times} times in this turn and got the same result each time; the turn was stopped. A larger window, or a smaller task, helps when the context is too small for it.`;
    }
    return null;
  }
}
