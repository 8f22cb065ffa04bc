import type { AgentEvent } from "../../protocol/event.ts";

/** Where a finished summary waits for a person's word. */
export class Reviews {
  readonly #waiting = new Map<string, (text: string | null) => void>();

  /** Gives the text as the person left it; null: do not compact. Stopping counts as a no. */
  async *ask(
    id: string,
    text: string,
    signal: AbortSignal,
  ): AsyncGenerator<AgentEvent, string | null> {
    if (signal.aborted) return null;
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const stop = (): void => resolve(null);
    // The answer can come before this generator is asked to go on.
    this.#waiting.set(id, resolve);
    signal.addEventListener("abort", stop, { once: true });
    try {
      yield { type: "compaction", state: { step: "review", id, text } };
      return await promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#waiting.delete(id);
    }
  }

  answer(id: string, text: string | null): void {
    this.#waiting.get(id)?.(text);
  }
}
