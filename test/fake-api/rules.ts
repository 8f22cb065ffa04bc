/** What the API refuses in the shape of a request, a rule a function, in its own words. */

import { invalid, type WireBlock, type WireMessage, type WireRequest } from "./wire.ts";

export function checkShape(request: WireRequest): void {
  if (request.max_tokens < 1)
    throw invalid("max_tokens: Input should be greater than or equal to 1");
  checkMessages(request.messages);
  checkMarks(request);
  checkTools(request);
  const forced = request.tool_choice?.type === "any" || request.tool_choice?.type === "tool";
  if (forced && request.thinking && request.thinking.type !== "disabled") {
    throw invalid("Thinking may not be enabled when tool_choice forces tool use.");
  }
}

function checkMessages(messages: readonly WireMessage[]): void {
  const [first] = messages;
  if (!first) throw invalid("messages: at least one message is required");
  if (first.role !== "user") throw invalid('messages: first message must use the "user" role');
  messages.forEach((message, index) => {
    const before = messages[index - 1];
    if (before?.role === message.role) {
      throw invalid(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`,
      );
    }
    const last = index === messages.length - 1;
    if (message.content.length === 0 && !(last && message.role === "assistant")) {
      throw invalid(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    message.content.forEach((block, at) =>
      checkBlock(block, message.role, `messages.${index}.content.${at}`),
    );
    checkPairs(before, message, index);
  });
  const last = messages.at(-1);
  if (last?.role === "assistant") {
    const open = last.content.find(({ type }) => type === "tool_use");
    throw invalid(
      open
        ? `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.id}.`
        : "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
}

const allowed: Record<WireMessage["role"], readonly string[]> = {
  user: ["text", "image", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
};

function checkBlock(block: WireBlock, role: WireMessage["role"], where: string): void {
  if (!allowed[role].includes(block.type))
    throw invalid(`${where}: Input tag '${block.type}' is not expected here`);
  if (block.type === "text" && (block.text ?? "") === "")
    throw invalid(`messages: text content blocks must be non-empty`);
  if (block.type === "text" && (block.text ?? "").trim() === "") {
    throw invalid(`messages: text content blocks must contain non-whitespace text`);
  }
  if (block.type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(block.id ?? "")) {
    throw invalid(`${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  }
  if (block.type !== "tool_result" || !Array.isArray(block.content)) return;
  for (const part of block.content) {
    if (part?.type === "text" && String(part.text ?? "").trim() === "") {
      throw invalid("messages: text content blocks must be non-empty");
    }
  }
}

/** Results stand first, one for each call of the message before, and for nothing else. */
function checkPairs(before: WireMessage | undefined, message: WireMessage, index: number): void {
  const calls = before?.role === "assistant" ? idsOf(before, "tool_use", "id") : [];
  const results = idsOf(message, "tool_result", "tool_use_id");
  if (new Set(calls).size < calls.length)
    throw invalid(`messages.${index - 1}: \`tool_use\` ids must be unique`);
  const missing = calls.filter((id) => !results.includes(id));
  if (missing.length > 0) {
    throw invalid(
      `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}.`,
    );
  }
  const orphan = results.find((id) => !calls.includes(id));
  if (orphan !== undefined) {
    throw invalid(
      `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}.`,
    );
  }
  if (new Set(results).size < results.length) {
    throw invalid(`messages.${index}: each tool_use must have a single result.`);
  }
  if (message.content.slice(0, results.length).some(({ type }) => type !== "tool_result")) {
    throw invalid(`messages.${index}: \`tool_result\` blocks must come first in the content.`);
  }
}

const idsOf = (message: WireMessage, type: string, key: "id" | "tool_use_id"): string[] =>
  message.content.flatMap((block) => (block.type === type ? [String(block[key])] : []));

function checkMarks({ system = [], tools = [], messages }: WireRequest): void {
  const blocks = [...system, ...tools, ...messages.flatMap(({ content }) => content)];
  const marks = blocks.filter(({ cache_control }) => cache_control).length;
  if (marks > 4)
    throw invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  for (const { content } of messages) {
    for (const { type, cache_control } of content) {
      if (cache_control && /thinking/.test(type))
        throw invalid(`${type}.cache_control: Extra inputs are not permitted`);
    }
  }
}

function checkTools({ tools = [], messages }: WireRequest): void {
  const names = tools.map(({ name }) => name);
  if (new Set(names).size < names.length) throw invalid("tools: Tool names must be unique.");
  const uses = messages.some(({ content }) => content.some(({ type }) => type === "tool_use"));
  if (uses && names.length === 0)
    throw invalid("Requests which include `tool_use` or `tool_result` blocks must define tools.");
}
