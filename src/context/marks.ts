/** Where the cache marks stand: at most four, each where a later request will look for it. */

import type { Block } from "../protocol/block.ts";
import type { CacheMark, Marked, Message } from "../protocol/model.ts";
import { openExchange, isResult } from "./protect.ts";
import type { View } from "./types.ts";

/** A mark finds what an earlier request wrote at most so many blocks before it. */
const lookBack = 20;

/**
 * Marks the end of the messages, the end of what the call before this one sent (a long parallel
 * exchange can be farther away than a mark looks back), and the end of what no tier will change any
 * more. Gives copies; the view's messages stay as they are.
 */
export function markMessages(view: View, messages: readonly Message[], mark: CacheMark): Message[] {
  const at = new Set(markedMessages(view, messages));
  return messages.map((message, index) => ({
    role: message.role,
    content: at.has(index) ? markLast(message.content, mark) : [...message.content],
  }));
}

/** Positions of the messages whose end carries a mark. */
export function markedMessages(view: View, messages: readonly Message[]): number[] {
  const at = new Set<number>([messages.length - 1]);
  const before = messages.length - 3;
  const between = messages.slice(before + 1).reduce((sum, { content }) => sum + content.length, 0);
  if (before >= 0 && between > lookBack / 2) at.add(before);
  const stable = stableMessages(view, messages);
  if (stable !== null && at.size < 3) at.add(stable);
  return [...at];
}

/** The last user message before the oldest result that a tier may still take. */
function stableMessages(view: View, messages: readonly Message[]): number | null {
  const open = openExchange(view);
  const oldest = view.rows.find(
    (row, index) =>
      isResult(row) && row.shown === "whole" && !row.pinned && row.chars > 2_000 && index < open,
  );
  if (!oldest || oldest.entry.type !== "result") return null;
  const { toolUse } = oldest.entry;
  const holds = messages.findIndex(({ content }) =>
    content.some((block) => block.type === "tool_result" && block.tool_use_id === toolUse),
  );
  const stable = holds - 2;
  return stable >= 0 && messages[stable]?.role === "user" ? stable : null;
}

/** On the last block that may carry a mark. */
function markLast(content: readonly Marked<Block>[], mark: CacheMark): Marked<Block>[] {
  const last = content.findLastIndex(
    ({ type }) => type !== "thinking" && type !== "redacted_thinking",
  );
  return content.map((block, index) =>
    index === last ? { ...block, cache_control: mark } : block,
  );
}
