/**
 * Where the cache marks go. The Messages API allows four, none of them on thinking, and looks for what
 * it has cached at most 20 blocks before a mark: each is where a later request will look for it.
 */

import { isThinking, type Block } from "../../protocol/block.ts";
import type { CacheMark, Marked, Message, ModelRequest } from "../../protocol/model.ts";
import type { View } from "../types.ts";

/** In blocks. A mark finds entries up to 20 blocks before it, and more may be added before the next. */
const longExchange = 10;

/**
 * Marks the end of the messages; the end of what the previous call sent, since a long parallel
 * exchange exceeds the look-back; and, after a cut, the end of the part that it left unchanged. Unmarked messages
 * stay the same objects, and a message that is marked again is the same object as the first time.
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
function markedMessages(view: View, messages: readonly Message[]): number[] {
  const at = new Set<number>([messages.length - 1]);
  const before = messages.length - 3;
  const between = messages.slice(before + 1).reduce((sum, { content }) => sum + content.length, 0);
  if (before >= 0 && between > longExchange) at.add(before);
  const unchanged = lastUnchanged(view, messages);
  if (unchanged !== null) at.add(unchanged);
  return [...at];
}

/** The last user message before the first change since the last call, within the part that is still cached. */
function lastUnchanged(view: View, messages: readonly Message[]): number | null {
  const { row, cachedRows } = view.anchor?.changed ?? {};
  return row === undefined
    ? null
    : usersBefore(messages, wholeBefore(view, messages, cachedRows || row));
}

/** Number of messages that are complete before a row. */
function wholeBefore(view: View, messages: readonly Message[], row: number): number {
  const before = view.messagesTo(row - 1);
  const last = before.length - 1;
  // Before a result, the message that will hold it is there with a placeholder.
  const isWhole =
    view.rows[row]?.entry.type !== "result" &&
    before[last]?.content.length === messages[last]?.content.length;
  return isWhole ? last + 1 : last;
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
