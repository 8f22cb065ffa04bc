/**
 * A call and its result belong together. The Messages API refuses a call whose result is not in the
 * next message, before any other content, and a result without its call.
 *
 * A cut may not separate the two, and a summary may not begin inside a tool loop. What is broken all
 * the same, by a crash or another program, is repaired in `view/messages.ts`: a call without a result
 * gets one that says so, and a result that answers no open call is never sent.
 */

import type { Entry } from "../../protocol/entry.ts";
import type { Message } from "../../protocol/model.ts";
import { callIds, isAnswer } from "../view/blocks.ts";

/** Which result answers which call. A call is answered once, before the next answer. */
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

/** Every call has its result in the next message, before other content; every result has its call. */
export function areTogether(
  message: Message,
  index: number,
  before: Message | undefined,
): string | null {
  const results = listResults(message);
  const calls = listCalls(before);
  const missing = calls.find((id) => !results.includes(id));
  if (missing !== undefined) return `call ${missing} has no result in message ${index}`;
  const orphan = results.find((id) => !calls.includes(id));
  if (orphan !== undefined) return `result ${orphan} in message ${index} has no call before it`;
  if (new Set(results).size < results.length) return `a call has two results in message ${index}`;
  return message.content.slice(0, results.length).some((block) => block.type !== "tool_result")
    ? `message ${index} has text before its results`
    : null;
}

/** Ids of the calls in an answer. */
export const listCalls = (message: Message | undefined): string[] =>
  message?.role === "assistant"
    ? message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
    : [];

const listResults = (message: Message): string[] =>
  message.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
