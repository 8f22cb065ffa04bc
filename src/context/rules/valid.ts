/** Checks a request by every rule of the API. An invalid one is never sent. */

import { isThinking, type Block } from "../../protocol/block.ts";
import type { Message, ModelRequest } from "../../protocol/model.ts";
import { wellFormed } from "../view/well-formed.ts";
import { fewMarks, marksText } from "./marks.ts";

/** A request that the API would refuse. The message names the broken rule. */
export class InvalidRequest extends Error {
  override readonly name: string = "InvalidRequest";
}

/** Throws `InvalidRequest` naming the first broken rule. */
export function assertValid(request: ModelRequest): void {
  const broken =
    startsWithUser(request) ??
    endsWithUser(request) ??
    brokenByMessage(request) ??
    fewMarks(request);
  if (broken !== null) throw new InvalidRequest(`The request is not valid: ${broken}.`);
}

/** The server's own compaction block comes first and belongs to the assistant. */
function startsWithUser({ messages }: ModelRequest): string | null {
  const first = messages[0];
  if (!first) return "there is no message";
  return first.role === "user" || first.content[0]?.type === "compaction"
    ? null
    : "the first message is not from the user";
}

function endsWithUser({ messages, compaction }: ModelRequest): string | null {
  const last = messages.at(-1);
  const open = listCalls(last);
  if (open.length > 0) return `call ${open[0]} has no result`;
  return compaction || last?.role === "user" ? null : "the last message is not from the user";
}

const alternates = (
  { role }: Message,
  index: number,
  before: Message | undefined,
): string | null =>
  role === before?.role ? `messages ${index - 1} and ${index} are both from the ${role}` : null;

const summaryFirst = ({ content }: Message, index: number): string | null =>
  content.some(({ type }, at) => type === "compaction" && (index > 0 || at > 0))
    ? `the server's summary in message ${index} is not first`
    : null;

/** A cut never leaves an empty message: `view/blocks.ts` leaves out what is empty. */
function hasContent({ content }: Message, index: number): string | null {
  if (content.length === 0) return `message ${index} is empty`;
  if (content.every(isThinking)) return `message ${index} contains nothing but thinking`;
  return content.some(holdsEmptyText) ? `message ${index} contains empty text` : null;
}

function holdsEmptyText(block: Block): boolean {
  if (block.type === "tool_result") return block.content.some(holdsEmptyText);
  return block.type === "text" && block.text.trim() === "";
}

/** Half a character, or an id outside the API's alphabet. */
const isWellFormed = ({ content }: Message, index: number): string | null =>
  content.some((block) => wellFormed(block) !== block) ? `message ${index} is malformed` : null;

/** Every call has its result in the next message, before other content; every result has its call. */
function areTogether(message: Message, index: number, before: Message | undefined): string | null {
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
const listCalls = (message: Message | undefined): string[] =>
  message?.role === "assistant"
    ? message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
    : [];

const listResults = (message: Message): string[] =>
  message.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));

/** Rules of one message, given its index and the message before it; each returns what is wrong, or null. */
const messageRules = [alternates, summaryFirst, hasContent, areTogether, marksText, isWellFormed];

/**
 * Messages that were valid, each with the one before it: nearly all of a request was in the request
 * before, and a message that was handed out never changes.
 */
const valid = new WeakMap<Message, Message | null>();

function brokenByMessage({ messages }: ModelRequest): string | null {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (valid.get(message) === (before ?? null)) continue;
    for (const rule of messageRules) {
      const broken = rule(message, index, before);
      if (broken !== null) return broken;
    }
    valid.set(message, before ?? null);
  }
  return null;
}
