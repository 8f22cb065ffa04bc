/** Where the cache marks go: at most four, each where a later request will look for it. */

import type { Block } from "../protocol/block.ts";
import type { CacheMark, CacheTtl, Marked, Message } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { openExchange, isResult } from "./protect.ts";
import { findRow } from "./walk-rows.ts";
import type { View } from "./types.ts";

/** A mark finds entries up to this many blocks before it. */
const lookBack = 20;

/** Tiers cut results larger than this first, in characters. */
const largeChars = 2_000;

/**
 * How long system prompt and tools are cached. Writing them for an hour costs more and pays once the
 * session pauses, so the default policy does it from the first pause on.
 */
export const headTtl = (
  { wentCold }: Pick<View, "wentCold">,
  { policy, cacheTtl }: Pick<Policy, "policy" | "cacheTtl">,
): CacheTtl => (policy === "economy" && wentCold ? "1h" : cacheTtl);

/**
 * Marks the end of the messages; the end of what the previous call sent, since a long parallel
 * exchange exceeds the look-back; and the stable prefix: up to the first change since the last call,
 * or else up to the oldest block that a tier may still change. Unmarked messages stay the same objects.
 */
export function markMessages(view: View, messages: readonly Message[], mark: CacheMark): Message[] {
  const at = new Set(markedMessages(view, messages));
  return messages.map((message, index) =>
    at.has(index) ? { role: message.role, content: markLast(message.content, mark) } : message,
  );
}

/** Indexes of the messages to mark at their end. */
export function markedMessages(view: View, messages: readonly Message[]): number[] {
  const at = new Set<number>([messages.length - 1]);
  const before = messages.length - 3;
  const between = messages.slice(before + 1).reduce((sum, { content }) => sum + content.length, 0);
  if (before >= 0 && between > lookBack / 2) at.add(before);
  const lasting = lastingMessage(view, messages);
  if (lasting !== null) at.add(lasting);
  return [...at];
}

/** The last user message of the stable prefix. */
function lastingMessage(view: View, messages: readonly Message[]): number | null {
  const changed = view.anchor?.changed?.row;
  const open = openExchange(view);
  const row =
    changed ??
    findRow(
      view.rows,
      view.sentFrom,
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

/** Number of messages that are complete before a row. */
function wholeBefore(view: View, messages: readonly Message[], row: number): number {
  const before = view.messagesTo(row - 1);
  const last = before.length - 1;
  return before[last]?.content.length === messages[last]?.content.length ? last + 1 : last;
}

/** The last user message among the first `count`. */
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
