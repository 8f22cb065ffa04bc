/** Which result answers which call. A call is answered once, before the next answer. */

import type { Entry } from "../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";

export class Pairs {
  /** Calls of the latest answer without a result. */
  readonly #open = new Set<string>();

  /** Adds an entry. Returns false for a result that answers no open call and so is never sent. */
  add(entry: Entry): boolean {
    if (entry.type === "result") return this.#open.delete(entry.toolUse);
    if (isAnswer(entry)) {
      if (this.#open.size > 0) this.#open.clear();
      for (const block of entry.content) if (block.type === "tool_use") this.#open.add(block.id);
    }
    return true;
  }
}

/** Ids of the tool calls in an entry that the model sees. */
export function callsOf(entry: Entry | undefined): readonly string[] {
  if (!isAnswer(entry)) return [];
  return entry.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}
