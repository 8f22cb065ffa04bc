/** Which thinking the model still sees: derived from the log alone. */

import { blocksOf } from "./blocks.ts";
import type { Entry } from "../protocol/entry.ts";

/**
 * Thinking is bound to everything before it, and each block to the one before it. So it may go only
 * from the start of history on, all that is older than an edit goes with it, and it never comes back:
 * nobody knows what it was bound to. Only the open tool loop's own may not be touched, since the API
 * refuses a request whose latest answers lost theirs; it goes stale and is taken out at the next
 * boundary, while the server is asked to drop it.
 */
export class Horizon {
  /** Answers before this row show no thinking. */
  from = 0;
  /** The latest answer calls tools. */
  midLoop = false;
  /** First row behind the latest answer that called no tools: where the open loop begins. */
  loopStart = 0;
  /** Thinking from `from` up to this row is stale. */
  staleUntil = 0;

  get stale(): boolean {
    return this.staleUntil > this.from;
  }

  /** A row was appended. Gives the row before which thinking has to go now, or null. */
  append(entry: Entry, row: number): number | null {
    if (entry.type === "assistant" && blocksOf(entry, {}) !== null) {
      this.midLoop = entry.content.some((block) => block.type === "tool_use");
      if (!this.midLoop) this.loopStart = row + 1;
    }
    const boundary = (entry.type === "user" || entry.type === "context") && !this.midLoop;
    return boundary && this.stale ? this.staleUntil : null;
  }

  /**
   * What stands before `row` was edited. Gives the row before which thinking has to go now.
   * `loopThinks`: the open loop has thinking of its own.
   */
  edit(row: number, loopThinks: boolean): number {
    if (!this.midLoop) return row;
    if (loopThinks) this.staleUntil = row;
    return this.loopStart;
  }
}
