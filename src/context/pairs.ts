/** Which result answers which call. A call is answered once, before the next answer. */

import type { Entry } from "../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";

export class Pairs {
  /** Calls of the latest answer without a result, and the answer's row. */
  readonly #open = new Map<string, number>();
  readonly #resultsOf = new Map<number, number[]>();

  /** Adds a row. Returns false for a result that answers no open call and so is never sent. */
  add(entry: Entry, row: number): boolean {
    if (entry.type === "result") {
      const call = this.#open.get(entry.toolUse);
      if (call === undefined) return false;
      this.#open.delete(entry.toolUse);
      const results = this.#resultsOf.get(call);
      if (results) results.push(row);
      else this.#resultsOf.set(call, [row]);
      return true;
    }
    if (isAnswer(entry)) {
      if (this.#open.size > 0) this.#open.clear();
      for (const block of entry.content) {
        if (block.type === "tool_use") this.#open.set(block.id, row);
      }
    }
    return true;
  }

  /** Rows of an answer's tool results. */
  resultsOf = (row: number): readonly number[] => this.#resultsOf.get(row) ?? [];
}

/** Ids of the tool calls in an entry that the model sees. */
export function callsOf(entry: Entry | undefined): readonly string[] {
  if (!isAnswer(entry)) return [];
  return entry.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}
