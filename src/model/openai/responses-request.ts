/**
 * A `ModelRequest` as a request to OpenAI's Responses API. The server keeps nothing: its reasoning comes
 * encrypted, and is sent back with the conversation.
 */

import { isRecord, parseJson } from "../../base/guards.ts";
import type { Block, ToolResultBlock } from "../../protocol/block.ts";
import type { Message, ModelRequest } from "../../protocol/model.ts";
import { reasoningEfforts } from "./chat-request.ts";

/** Begins the signature of a thinking block that holds an item of this API. */
const reasoningMark = "openai:";

/** An item of reasoning, kept whole as the signature of a thinking block. */
export const keepReasoning = (item: object): string => reasoningMark + JSON.stringify(item);

type HowToAsk = {
  /** The id of a call as the server takes it. */
  mapId(id: string): string;
  /** Asks for a summary of the reasoning. */
  showsReasoning: boolean;
};

export function toResponsesRequest(
  request: ModelRequest,
  { mapId, showsReasoning }: HowToAsk,
): object {
  const tools = [...request.tools, ...(request.loadedTools ?? [])];
  const instructions = request.system.map(({ text }) => text).join("\n\n");
  const thinks = request.thinking === "adaptive";
  return {
    model: request.model,
    input: request.messages.flatMap((message) => toItems(message, mapId)),
    stream: true,
    store: false,
    max_output_tokens: request.maxTokens,
    ...(instructions !== "" && { instructions }),
    ...(thinks && {
      include: ["reasoning.encrypted_content"],
      reasoning: {
        ...(showsReasoning && { summary: "auto" }),
        ...(request.effort && { effort: reasoningEfforts[request.effort] }),
      },
    }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, input_schema: parameters }) => {
        return { type: "function", name, description, parameters, strict: false };
      }),
    }),
  };
}

/** Blocks of a message between calls and results are one item; results come first, as they must. */
function toItems({ role, content }: Message, mapId: (id: string) => string): object[] {
  const items: object[] = [];
  let parts: object[] = [];
  const flush = (): void => {
    if (parts.length > 0) items.push({ type: "message", role, content: parts });
    parts = [];
  };
  for (const block of content) {
    if (block.type === "tool_result") {
      items.push({
        type: "function_call_output",
        call_id: mapId(block.tool_use_id),
        output: toOutput(block),
      });
      continue;
    }
    const item = toItem(block, mapId);
    if (item === null) parts.push(...toParts(block, role));
    else {
      flush();
      items.push(item);
    }
  }
  flush();
  return items;
}

/** Null: the block is a part of a message. */
function toItem(block: Block, mapId: (id: string) => string): object | null {
  if (block.type === "tool_use")
    return {
      type: "function_call",
      call_id: mapId(block.id),
      name: block.name,
      arguments: JSON.stringify(block.input),
    };
  if (block.type !== "thinking" || !block.signature.startsWith(reasoningMark)) return null;
  const item = parseJson(block.signature.slice(reasoningMark.length));
  return isRecord(item) ? item : null;
}

/** Reasoning of other servers is left out: this one could not read it. */
function toParts(block: Block, role: Message["role"]): object[] {
  const text = (words: string): object[] => [
    { type: role === "user" ? "input_text" : "output_text", text: words },
  ];
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image": {
      const { media_type, data } = block.source;
      return [{ type: "input_image", image_url: `data:${media_type};base64,${data}` }];
    }
    case "compaction":
      return block.content === null ? [] : text(block.content);
    default:
      return [];
  }
}

function toOutput({ content, is_error }: ToolResultBlock): string | object[] {
  const parts = content.flatMap((block) => toParts(block, "user"));
  if (is_error) parts.unshift({ type: "input_text", text: "Error:" });
  return parts.length === 0 ? "(no output)" : parts;
}
