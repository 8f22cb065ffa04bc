/** Which thinking the model still sees: derived from the log alone. */

import type { Entry } from "../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";

/**
 * Thinking is bound to everything before it, and each block to the one before it. So it may go only
 * from the start of history on, all that is older than an edit goes with it, and it never comes back:
 * nobody knows what it was bound to. Only the open tool loop's own may not be touched, since the API
 * refuses a request whose latest answers lost theirs; it goes stale and is taken out at the next
 * boundary, while the server is asked to drop it. Of another model's thinking nothing is sent.
 */
export class ThinkingWindow {
  /** The latest answer calls tools. */
  midLoop = false;
  /** First row behind the latest answer that called no tools: where the open loop begins. */
  loopStart = 0;
  /** Thinking before this row went with an edit. */
  #editedUntil = 0;
  /** Thinking before this row, and not gone yet, is stale. */
  #staleUntil = 0;
  /** The model that is asked, the one that answered last, and from which row on it did. */
  #model = "";
  #answeredBy: string | null = null;
  #switchedAt = 0;
  #answersFrom = 0;

  /** Answers before this row show no thinking. */
  get from(): number {
    return Math.max(this.#editedUntil, this.#switchedAt);
  }

  get stale(): boolean {
    return this.#staleUntil > this.from;
  }

  /** Another model than the one that answered last is asked from now on. */
  get switched(): boolean {
    return this.#answeredBy !== null && this.#answeredBy !== this.#model;
  }

  append(entry: Entry, row: number): void {
    switch (entry.type) {
      case "session":
      case "model":
        this.#model = entry.model;
        // Back to the model that answered last: as if it had never been left.
        this.#switchedAt = this.switched ? row : this.#answersFrom;
        return;
      case "assistant":
        if (!isAnswer(entry)) return;
        this.midLoop = entry.content.some((block) => block.type === "tool_use");
        if (!this.midLoop) this.loopStart = row + 1;
        this.#answeredBy = this.#model;
        this.#answersFrom = this.#switchedAt;
        return;
      case "user":
      case "context":
        // All of the loop's: what came behind the edit may be chained to what stood before it.
        if (!this.midLoop && this.stale) this.#editedUntil = row;
        return;
      default:
        return;
    }
  }

  /** What stands before `row` was edited; `loopThinks`: the open loop has thinking of its own. */
  edit(row: number, loopThinks: boolean): void {
    // At a boundary this is behind every answer, in a loop before the first of its own.
    this.#editedUntil = Math.max(this.#editedUntil, this.loopStart);
    if (this.midLoop && loopThinks) this.#staleUntil = row;
  }
}
