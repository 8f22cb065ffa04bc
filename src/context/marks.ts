/** Where the cache marks stand: at most four, each where a later request will look for it. */

import type { Block } from "../protocol/block.ts";
import type { CacheMark, CacheTtl, Marked, Message } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { openExchange, isResult } from "./protect.ts";
import type { View } from "./types.ts";

/** A mark finds what an earlier request wrote at most so many blocks before it. */
const lookBack = 20;

/** Results larger than this, in characters, are what tiers cut first. */
const largeChars = 2_000;

/** Of system prompt and tools: by economy an hour, since they never change, and each break would write them anew. */
export const headTtl = ({ policy, cacheTtl }: Pick<Policy, "policy" | "cacheTtl">): CacheTtl =>
  policy === "economy" ? "1h" : cacheTtl;

/**
 * Marks the end of the messages, the end of what the call before this one sent (a long parallel
 * exchange can be farther away than a mark looks back), and the end of what stays: before the first
 * change since the last call, or else before the oldest block that a tier may still change. Gives
 * copies; the view's messages stay as they are.
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
  const lasting = lastingMessage(view, messages);
  if (lasting !== null) at.add(lasting);
  return [...at];
}

/** The last of the user's messages that stays as it is. */
function lastingMessage(view: View, messages: readonly Message[]): number | null {
  const changed = view.anchor?.changed?.row;
  const open = openExchange(view);
  const row =
    changed ??
    view.rows.findIndex(
      (one, index) =>
        isResult(one) &&
        one.shown === "whole" &&
        !one.pinned &&
        one.chars > largeChars &&
        index < open,
    );
  if (row <= 0) return null;
  const entry = view.rows[row]?.entry;
  return entry?.type === "result"
    ? usersBefore(messages, messageOf(messages, entry.toolUse) - 1)
    : usersBefore(messages, wholeBefore(view, messages, row));
}

const messageOf = (messages: readonly Message[], toolUse: string): number =>
  messages.findIndex(({ content }) =>
    content.some((block) => block.type === "tool_result" && block.tool_use_id === toolUse),
  );

/** Messages that are complete before a row. */
function wholeBefore(view: View, messages: readonly Message[], row: number): number {
  const before = view.messagesTo(row - 1);
  const last = before.length - 1;
  return before[last]?.content.length === messages[last]?.content.length ? last + 1 : last;
}

/** The last message of the user's among the first `count`. */
function usersBefore(messages: readonly Message[], count: number): number | null {
  const at = messages.slice(0, Math.max(0, count)).findLastIndex(({ role }) => role === "user");
  return at === -1 ? null : at;
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
