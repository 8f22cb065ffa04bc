/** Calls and their results: which belong together, and where a path may be divided. */

import type { Entry } from "../../protocol/entry.ts";
import { callIds, isAnswer } from "./blocks.ts";

/** Which result answers which call. A call is answered once, before the next answer. */
export class Pairs {
  /** Calls of the latest answer without a result. */
  readonly #open = new Set<string>();

  /** Adds an entry. Returns false for a result that answers no open call and so is never sent. */
  add(entry: Entry): boolean {
    if (entry.type === "result") return this.#open.delete(entry.toolUse);
    if (isAnswer(entry)) {
      this.#open.clear();
      for (const block of entry.content) if (block.type === "tool_use") this.#open.add(block.id);
    }
    return true;
  }
}

/** The entries of a path by their rows. */
export type PairedPath = {
  entryAt(row: number): Entry | undefined;
  /** A result that answers no call. */
  isOrphan(row: number): boolean;
};

/** Why a summary must not cover these rows, or null. */
export function whyInseparable(from: number, to: number, path: PairedPath): string | null {
  if (isInsideLoop(from, path)) return "begins in the middle of a tool loop";
  // The calls of results before the first answer are before the rows.
  const answersBefore = hasResultBeforeAnswer(from, to, path);
  const lacksResults =
    hasResultBeforeAnswer(to + 1, Number.POSITIVE_INFINITY, path) && hasAnswer(from, to, path);
  return answersBefore || lacksResults ? "splits a call from its result" : null;
}

/** Whether a result that answers a call is in these rows, before any answer. */
function hasResultBeforeAnswer(from: number, to: number, path: PairedPath): boolean {
  for (let row = from; row <= to; row++) {
    const entry = path.entryAt(row);
    if (entry === undefined || isAnswer(entry)) return false;
    if (entry.type === "result" && !path.isOrphan(row)) return true;
  }
  return false;
}

function hasAnswer(from: number, to: number, path: PairedPath): boolean {
  for (let row = to; row >= from; row--) if (isAnswer(path.entryAt(row))) return true;
  return false;
}

/**
 * Whether a row is inside a tool loop, after its first call. A summary that starts there would read
 * as a user message sent into the loop, whose thinking must then be complete.
 */
export function isInsideLoop(row: number, path: PairedPath): boolean {
  for (let at = row - 1; at >= 0; at--) {
    const entry = path.entryAt(at);
    if (entry?.type === "result" && !path.isOrphan(at)) return true;
    if (isAnswer(entry)) return callIds(entry).length > 0;
  }
  return false;
}
