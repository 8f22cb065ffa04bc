/** The structure of a conversation: roles, contents, calls and their results. */

import { invalid } from "./refusal.ts";
import {
  toBlocks,
  type ApiBlock,
  type ApiReference,
  type ApiMessage,
  type ApiRequest,
} from "./schema.ts";

export function checkConversation({ messages, compaction }: ApiRequest): void {
  const [first] = messages;
  if (first === undefined) {
    if (compaction != null)
      throw invalid("messages: nothing to summarize", "compaction_nothing_to_summarize");
    throw invalid("messages: at least one message is required");
  }
  const led = toBlocks(first)[0]?.type === "compaction";
  if (first.role !== "user" && !led)
    throw invalid('messages: first message must use the "user" role');
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (message.role === before?.role && !(index === 1 && led))
      throw invalid(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`,
      );
    checkContent(message, index, index === messages.length - 1);
  }
  const turns = messages.map(toTurn);
  checkPairs(turns, compaction != null);
  checkEnd(turns, compaction != null);
}

type Turn = { role: ApiMessage["role"]; index: number; blocks: ApiBlock[] };

const toTurn = (message: ApiMessage, index: number): Turn => ({
  role: message.role,
  index,
  blocks: toBlocks(message),
});

const spoken: Record<ApiMessage["role"], readonly ApiBlock["type"][]> = {
  user: ["text", "image", "tool_result"],
  assistant: [
    "text",
    "thinking",
    "redacted_thinking",
    "tool_use",
    "compaction",
    "server_tool_use",
    "web_search_tool_result",
  ],
};

function checkContent(message: ApiMessage, index: number, isLast: boolean): void {
  const blocks = toBlocks(message);
  if (blocks.length === 0 || message.content === "")
    throw invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  for (const [at, block] of blocks.entries()) {
    if (!spoken[message.role].includes(block.type))
      throw invalid(
        `messages.${index}.content.${at}: \`${block.type}\` blocks can only be specified in \`${message.role === "user" ? "assistant" : "user"}\` messages`,
      );
    if (block.type === "compaction" && (index > 0 || at > 0))
      throw invalid(
        `messages.${index}.content.${at}: the \`compaction\` block must be the first block of the conversation`,
        "compaction_block_misplaced",
      );
    const inner =
      block.type === "tool_result" && typeof block.content === "object" ? block.content : [block];
    for (const part of inner) checkText(part);
  }
  checkSearches(blocks, index, isLast);
}

/** Results of the server's own tools follow their calls in the same message. */
function checkSearches(blocks: ApiBlock[], index: number, isPaused: boolean): void {
  const called = new Set<string>();
  const found = new Set<string>();
  for (const [at, block] of blocks.entries()) {
    if (block.type === "server_tool_use") called.add(block.id);
    if (block.type !== "web_search_tool_result") continue;
    if (!called.has(block.tool_use_id))
      throw invalid(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${block.tool_use_id}. Each \`web_search_tool_result\` block must have a corresponding \`server_tool_use\` block before it.`,
      );
    found.add(block.tool_use_id);
  }
  for (const id of called)
    if (!found.has(id) && !isPaused)
      throw invalid(
        `messages.${index}: \`web_search\` tool use with id \`${id}\` was found without a corresponding \`web_search_tool_result\` block`,
      );
}

function checkText(block: ApiBlock | ApiReference): void {
  if (block.type !== "text") return;
  if (block.text === "") {
    if (block.cache_control != null)
      throw invalid("cache_control cannot be set for empty text blocks");
    throw invalid("messages: text content blocks must be non-empty");
  }
  if (block.text.trim() === "")
    throw invalid("messages: text content blocks must contain non-whitespace text");
}

function checkPairs(turns: Turn[], compacting: boolean): void {
  const seen = new Set<string>();
  for (const [at, { role, index, blocks }] of turns.entries()) {
    const calls = role === "assistant" ? listCalls(blocks) : [];
    for (const id of calls) {
      if (seen.has(id)) throw invalid(`messages.${index}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
    const next = turns[at + 1];
    checkAnswered(calls, next, index, compacting && next === undefined);
    if (role === "user") checkResults(blocks, index, turns[at - 1]);
  }
}

const listCalls = (blocks: ApiBlock[]): string[] =>
  blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));

/** Results must come first: after text, a result no longer answers the call. */
const listResults = (blocks: ApiBlock[]): string[] => {
  const end = blocks.findIndex(({ type }) => type !== "tool_result");
  return blocks
    .slice(0, end === -1 ? blocks.length : end)
    .flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
};

function checkAnswered(
  calls: string[],
  next: Turn | undefined,
  index: number,
  compacting: boolean,
): void {
  const results = next === undefined ? [] : listResults(next.blocks);
  const open = calls.filter((id) => !results.includes(id));
  if (open.length === 0) return;
  if (compacting)
    throw invalid(
      `messages.${index}: the conversation to compact ends on an unfinished assistant turn`,
      "compaction_incomplete_turn",
    );
  throw invalid(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(blocks: ApiBlock[], index: number, before: Turn | undefined): void {
  const calls = before?.role === "assistant" ? listCalls(before.blocks) : [];
  const seen = new Set<string>();
  for (const [at, block] of blocks.entries()) {
    if (block.type !== "tool_result") continue;
    const id = block.tool_use_id;
    if (!calls.includes(id))
      throw invalid(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    if (seen.has(id))
      throw invalid(
        `messages.${index}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    seen.add(id);
  }
}

function checkEnd(turns: Turn[], compacting: boolean): void {
  const last = turns.at(-1);
  if (last?.role !== "assistant" || compacting) return;
  // A paused turn of the server's tools is continued from its content.
  if (last.blocks.some(({ type }) => type === "server_tool_use")) return;
  throw invalid(
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  );
}
