/**
 * Where the cache marks go. The Messages API allows four, none of them on thinking, and looks for what
 * it has cached at most 20 blocks before a mark: each is where a later request will look for it.
 */

import { isThinking, type Block } from "../../protocol/block.ts";
import type { CacheMark, CacheTtl, Marked, Message, ModelRequest } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { openExchange } from "../protect.ts";
import type { Row, View } from "../types.ts";

/** In blocks. A mark finds entries up to 20 blocks before it, and more may be added before the next. */
const longExchange = 10;

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
 * or else up to the oldest block that a tier may still change. Unmarked messages stay the same objects,
 * and a message that is marked again is the same object as the first time.
 */
export function markMessages(view: View, messages: readonly Message[], mark: CacheMark): Message[] {
  const marked = [...messages];
  for (const index of markedMessages(view, messages)) {
    const message = messages[index];
    if (message) marked[index] = withMark(message, mark);
  }
  return marked;
}

const known = new WeakMap<Message, { mark: CacheMark; marked: Message }>();

function withMark(message: Message, mark: CacheMark): Message {
  const before = known.get(message);
  if (before && before.mark.ttl === mark.ttl) return before.marked;
  const marked = { role: message.role, content: markLast(message.content, mark) };
  known.set(message, { mark, marked });
  return marked;
}

/** Indexes of the messages to mark at their end. */
export function markedMessages(view: View, messages: readonly Message[]): number[] {
  const at = new Set<number>([messages.length - 1]);
  const before = messages.length - 3;
  const between = messages.slice(before + 1).reduce((sum, { content }) => sum + content.length, 0);
  if (before >= 0 && between > longExchange) at.add(before);
  const lasting = lastingMessage(view, messages);
  if (lasting !== null) at.add(lasting);
  return [...at];
}

/** The last user message of the stable prefix. */
function lastingMessage(view: View, messages: readonly Message[]): number | null {
  const changed = view.anchor?.changed?.row;
  const at = changed ?? oldestLarge(view);
  const row = view.rows[at];
  if (!row || (changed === undefined && at >= openExchange(view))) return null;
  return row.entry.type === "result"
    ? usersBefore(messages, messageOf(view, messages, row, row.entry.toolUse) - 1)
    : usersBefore(messages, wholeBefore(view, messages, at));
}

/** Tiers cut results larger than this first, in characters. */
const largeChars = 2_000;

/** The oldest large result that is sent whole and not pinned, by its row; the row count if there is none. */
export function oldestLarge({ rows }: View): number {
  const at = rows.findIndex(
    ({ shown, pinned, chars, entry }) =>
      shown === "whole" && !pinned && chars > largeChars && entry.type === "result",
  );
  return at === -1 ? rows.length : at;
}

/** The message that a result was last found in, by the rows of the view. An older one may be gone from the request. */
const holders = new WeakMap<readonly Row[], { row: Row; message: Message }>();

/** The index of the message that holds a result; -1: none does. */
function messageOf(
  { rows }: View,
  messages: readonly Message[],
  row: Row,
  toolUse: string,
): number {
  const before = holders.get(rows);
  const known = before?.row === row ? messages.indexOf(before.message) : -1;
  if (known !== -1) return known;
  const index = messages.findIndex(({ content }) =>
    content.some((block) => block.type === "tool_result" && block.tool_use_id === toolUse),
  );
  const message = messages[index];
  if (message) holders.set(rows, { row, message });
  return index;
}

/** Number of messages that are complete before a row. */
function wholeBefore(view: View, messages: readonly Message[], row: number): number {
  const before = view.messagesTo(row - 1);
  const last = before.length - 1;
  return before[last]?.content.length === messages[last]?.content.length ? last + 1 : last;
}

/** The last user message among the first `count`. */
function usersBefore(messages: readonly Message[], count: number): number | null {
  let at = count - 1;
  while (at >= 0 && messages[at]?.role !== "user") at--;
  return at < 0 ? null : at;
}

/** On the last block that may carry a mark. */
function markLast(content: readonly Marked<Block>[], mark: CacheMark): Marked<Block>[] {
  const last = content.findLastIndex((block) => !isThinking(block));
  return content.map((block, index) =>
    index === last ? { ...block, cache_control: mark } : block,
  );
}

/** Cache marks that the API allows in one request. */
const maxMarks = 4;

export function fewMarks({ system, tools, messages }: ModelRequest): string | null {
  const marks =
    countMarks(system) +
    countMarks(tools) +
    messages.reduce((sum, { content }) => sum + countMarks(content), 0);
  return marks <= maxMarks ? null : `it has ${marks} cache marks`;
}

function countMarks(blocks: readonly { cache_control?: unknown }[]): number {
  let marks = 0;
  for (const { cache_control } of blocks) if (cache_control !== undefined) marks++;
  return marks;
}

export const marksText = ({ content }: Message): string | null =>
  content.some((block) => block.cache_control && isThinking(block))
    ? "a thinking block has a cache mark"
    : null;
