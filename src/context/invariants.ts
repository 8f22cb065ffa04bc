/** What the API requires of every request, one function per rule. An invalid request is never sent. */

import { isThinking, type Block } from "../protocol/block.ts";
import { wellFormed } from "./well-formed.ts";
import type { Message, ModelRequest } from "../protocol/model.ts";

/** A request that the API would refuse. The message names the broken rule. */
export class InvalidRequest extends Error {
  override readonly name: string = "InvalidRequest";
}

type Rule = (request: ModelRequest) => string | null;

const rules: readonly Rule[] = [
  startsWithUser,
  endsWithUser,
  alternates,
  hasContent,
  pairs,
  fewMarks,
  marksText,
  leavesRoom,
  isWellFormed,
];

/** Throws `InvalidRequest` naming the first broken rule. */
export function assertValid(request: ModelRequest): void {
  for (const rule of rules) {
    const broken = rule(request);
    if (broken !== null) throw new InvalidRequest(`The request is not valid: ${broken}.`);
  }
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
  return compaction || messages.at(-1)?.role === "user"
    ? null
    : "the last message is not from the user";
}

function alternates({ messages }: ModelRequest): string | null {
  const twice = messages.findIndex((message, index) => message.role === messages[index - 1]?.role);
  return twice === -1
    ? null
    : `messages ${twice - 1} and ${twice} are both from the ${messages[twice]?.role}`;
}

function hasContent({ messages }: ModelRequest): string | null {
  for (const [index, { content }] of messages.entries()) {
    if (content.length === 0) return `message ${index} is empty`;
    if (content.every(isThinking)) return `message ${index} holds nothing but thinking`;
    if (content.some(holdsEmptyText)) return `message ${index} holds empty text`;
  }
  return null;
}

function holdsEmptyText(block: Block): boolean {
  if (block.type === "tool_result") return block.content.some(holdsEmptyText);
  return block.type === "text" && block.text.trim() === "";
}

/** Every call has its result in the next message, before other content; every result has its call. */
function pairs({ messages }: ModelRequest): string | null {
  for (const [index, message] of messages.entries()) {
    const results = resultsOf(message);
    const calls = callsOf(messages[index - 1]);
    const missing = calls.find((id) => !results.includes(id));
    if (missing !== undefined) return `call ${missing} has no result in message ${index}`;
    const orphan = results.find((id) => !calls.includes(id));
    if (orphan !== undefined) return `result ${orphan} in message ${index} has no call before it`;
    if (new Set(results).size < results.length) return `a call has two results in message ${index}`;
    if (message.content.slice(0, results.length).some((block) => block.type !== "tool_result")) {
      return `message ${index} has text before its results`;
    }
  }
  const open = callsOf(messages.at(-1));
  return open.length === 0 ? null : `call ${open[0]} has no result`;
}

const callsOf = (message: Message | undefined): string[] =>
  message?.role === "assistant"
    ? message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
    : [];

const resultsOf = (message: Message): string[] =>
  message.content.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));

/** Cache marks that the API allows in one request. */
const maxMarks = 4;

function fewMarks({ system, tools, messages }: ModelRequest): string | null {
  const blocks = [...system, ...tools, ...messages.flatMap(({ content }) => content)];
  const marks = blocks.filter((block) => block.cache_control !== undefined).length;
  return marks <= maxMarks ? null : `it has ${marks} cache marks`;
}

function marksText({ messages }: ModelRequest): string | null {
  const wrong = messages
    .flatMap(({ content }) => content)
    .some(
      ({ type, cache_control }) =>
        cache_control && (type === "thinking" || type === "redacted_thinking"),
    );
  return wrong ? "a thinking block has a cache mark" : null;
}

/** Half a character, or an id outside the API's alphabet. */
function isWellFormed({ messages }: ModelRequest): string | null {
  for (const [index, { content }] of messages.entries())
    if (content.some((block) => wellFormed(block) !== block))
      return `message ${index} is malformed`;
  return null;
}

function leavesRoom({ maxTokens }: ModelRequest): string | null {
  return maxTokens >= 1 ? null : "no room is left for an answer";
}
