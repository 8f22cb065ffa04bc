/** The structure of a conversation: roles, contents, calls and their results. */

import { invalid } from "./refusal.ts";
import {
  toBlocks,
  type ApiBlock,
  type ApiMessage,
  type ApiReference,
  type ApiRequest,
} from "./schema.ts";

export function checkConversation({ messages, compaction }: ApiRequest): void {
  const [first] = messages;
  if (first === undefined) throw invalid("messages: at least one message is required");
  const isLed = toBlocks(first)[0]?.type === "compaction";
  if (first.role !== "user" && !isLed)
    throw invalid('messages: first message must use the "user" role');
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const next = messages[index + 1];
    if (message.role === before?.role && !(index === 1 && isLed))
      throw invalid('messages: roles must alternate between "user" and "assistant"');
    checkContent(message, index);
    checkSearches(toBlocks(message), index, next === undefined);
    checkCalls(message, index, next, ids);
    if (message.role === "user") checkResults(message, index, before);
  }
  checkEnd(messages.at(-1), compaction != null);
}

const ofUsers: readonly ApiBlock["type"][] = ["text", "image", "tool_result"];
const ofAssistants: readonly ApiBlock["type"][] = [
  "text",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "compaction",
  "server_tool_use",
  "web_search_tool_result",
];

function checkContent(message: ApiMessage, index: number): void {
  const blocks = toBlocks(message);
  if (blocks.length === 0 || message.content === "")
    throw invalid(`messages.${index}: all messages must have non-empty content`);
  const known = message.role === "user" ? ofUsers : ofAssistants;
  for (const [at, block] of blocks.entries()) {
    const path = `messages.${index}.content.${at}`;
    if (!known.includes(block.type))
      throw invalid(`${path}: \`${block.type}\` blocks can only be of the other role`);
    if (block.type === "compaction" && (index > 0 || at > 0))
      throw invalid(
        `${path}: the \`compaction\` block must be the first block of the conversation`,
        "compaction_block_misplaced",
      );
    const parts =
      block.type === "tool_result" && typeof block.content === "object" ? block.content : [block];
    for (const part of parts) checkText(part);
  }
}

function checkText(block: ApiBlock | ApiReference): void {
  if (block.type === "text" && block.text.trim() === "")
    throw invalid("messages: text content blocks must be non-empty");
}

/** Results of the server's own tools follow their calls in the same message. */
function checkSearches(blocks: ApiBlock[], index: number, isPaused: boolean): void {
  const open = new Set<string>();
  for (const block of blocks) {
    if (block.type === "server_tool_use") open.add(block.id);
    if (block.type === "web_search_tool_result" && !open.delete(block.tool_use_id))
      throw invalid(`messages.${index}: a \`web_search_tool_result\` block without its call`);
  }
  if (open.size > 0 && !isPaused)
    throw invalid(`messages.${index}: a search without its \`web_search_tool_result\` block`);
}

const listCalls = (message: ApiMessage | undefined): string[] =>
  message?.role === "assistant"
    ? toBlocks(message).flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
    : [];

/** Results must come first: after text, a result no longer answers the call. */
function listResults(message: ApiMessage | undefined): string[] {
  const blocks = message === undefined ? [] : toBlocks(message);
  const end = blocks.findIndex(({ type }) => type !== "tool_result");
  return blocks
    .slice(0, end === -1 ? blocks.length : end)
    .flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
}

function checkCalls(
  message: ApiMessage,
  index: number,
  next: ApiMessage | undefined,
  ids: Set<string>,
): void {
  const calls = listCalls(message);
  for (const id of calls) {
    if (ids.has(id)) throw invalid(`messages.${index}: \`tool_use\` ids must be unique`);
    ids.add(id);
  }
  const results = listResults(next);
  const open = calls.filter((id) => !results.includes(id));
  if (open.length > 0)
    throw invalid(
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}.`,
    );
}

function checkResults(message: ApiMessage, index: number, before: ApiMessage | undefined): void {
  const open = new Set(listCalls(before));
  const seen = new Set<string>();
  for (const [at, block] of toBlocks(message).entries()) {
    if (block.type !== "tool_result") continue;
    const [id, path] = [block.tool_use_id, `messages.${index}.content.${at}`];
    if (seen.has(id)) throw invalid(`${path}: each tool_use must have a single result: ${id}`);
    if (!open.has(id))
      throw invalid(`${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`);
    seen.add(id);
  }
}

function checkEnd(last: ApiMessage | undefined, isCompacting: boolean): void {
  if (last?.role !== "assistant" || isCompacting) return;
  // A paused turn of the server's tools is continued from its content.
  if (toBlocks(last).some(({ type }) => type === "server_tool_use")) return;
  throw invalid("This model does not support assistant message prefill.");
}
