import type { Services } from "../types.ts";

/** Walks through earlier prompts. The first step saves the unsent text, to return to it. */
export class HistoryWalk {
  #walk: { prompts: readonly string[]; at: number; typed: string } | null = null;

  reset(): void {
    this.#walk = null;
  }

  /** The prompt before (-1) or after (1) the current one. */
  async move(delta: -1 | 1, typed: string, { loadHistory }: Services): Promise<string> {
    const walk = this.#walk ?? { prompts: await loadHistory(), at: -1, typed };
    const at = Math.max(-1, Math.min(walk.prompts.length - 1, walk.at - delta));
    this.#walk = { ...walk, at };
    return at === -1 ? walk.typed : (walk.prompts.at(-1 - at) ?? "");
  }
}
