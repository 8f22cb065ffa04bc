/**
 * A call and its result belong together. The Messages API refuses a call whose result is not in the
 * next message, before any other content, and a result without its call.
 *
 * A cut may not separate the two, and a summary may not begin inside a tool loop. What is broken all
 * the same, by a crash or another program, is repaired in `view/messages.ts`: a call without a result
 * gets one that says so, and a result that answers no open call is never sent.
 */

import type { Message } from "../../protocol/model.ts";

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
