/**
 * Which thinking is still sent, derived from the log alone. On current models the Messages API refuses
 * or drops a thinking block when anything before it has changed.
 *
 * So history is cut at a turn boundary, and the same cut removes all older thinking, for good. A cut
 * that is forced inside a tool loop makes the loop's own thinking stale, which the server is asked to
 * drop.
 */

import type { Entry } from "../../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";

/**
 * A thinking block is bound to everything before it, and to the thinking block before it. So thinking
 * can only be removed from the start of history; an edit removes all older thinking, for good. The
 * open tool loop is the exception: the API refuses a request whose latest answers lost their thinking.
 * There it becomes stale, the server is asked to drop it, and it is removed at the next boundary.
 * Another model's thinking is never sent.
 */
export class ThinkingWindow {
  /** The latest answer calls tools. */
  midLoop = false;
  /** First row after the latest answer that called no tools: where the open loop begins. */
  loopStart = 0;
  /** Thinking before this row was removed with an edit. */
  #editedUntil = 0;
  /** Thinking before this row that is still sent is stale. */
  #staleUntil = 0;
  /** The current model, the one that answered last, and the row from which it did. */
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

  /** The current model is not the one that answered last. */
  get switched(): boolean {
    return this.#answeredBy !== null && this.#answeredBy !== this.#model;
  }

  append(entry: Entry, row: number): void {
    switch (entry.type) {
      case "session":
      case "model":
        this.#model = entry.model;
        // Switching back to the model that answered last restores its thinking.
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
        // All of the loop's thinking: blocks after the edit may be chained to blocks before it.
        if (!this.midLoop && this.stale) this.#editedUntil = row;
        return;
      default:
        return;
    }
  }

  /** Something before `row` was edited. `loopThinks`: thinking of the open loop is still sent. */
  edit(row: number, loopThinks: boolean): void {
    // At a boundary this is after every answer; in a loop, before the loop's first.
    this.#editedUntil = Math.max(this.#editedUntil, this.loopStart);
    if (this.midLoop) this.#staleUntil = loopThinks ? row : 0;
  }
}
