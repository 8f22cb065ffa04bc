/**
 * A `ModelRequest` as a request to OpenAI's chat completions. Thinking is sent back only within the
 * current tool loop, where the models that want it at all require it.
 */

import { counted } from "../../base/in-words.ts";
import type { Block, ImageBlock, ToolResultBlock } from "../../protocol/block.ts";
import type { Message, ModelRequest } from "../../protocol/model.ts";
import { returnsReasoning } from "../catalog.ts";

/**
 * `newStyle`: OpenAI's own servers, which use another name for the length of the answer. `mapId`: the
 * id of a call as the server takes it.
 */
export function toChatRequest(request: ModelRequest, newStyle: boolean, mapId: MapId): object {
  const tools = [...request.tools, ...(request.loadedTools ?? [])];
  return {
    model: request.model,
    messages: toChatMessages(request, mapId),
    stream: true,
    stream_options: { include_usage: true },
    ...(newStyle
      ? { max_completion_tokens: request.maxTokens }
      : { max_tokens: request.maxTokens }),
    ...(request.effort && { reasoning_effort: reasoningEfforts[request.effort] }),
    ...(tools.length > 0 && { tools: tools.map(toChatTool) }),
  };
}

/** Levels that servers know. */
export const reasoningEfforts = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
} as const;

type MapId = (id: string) => string;

type ContentPart =
  { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

type ChatCall = { id: string; type: "function"; function: { name: string; arguments: string } };

type ChatMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | ContentPart[] }
  | { role: "tool"; tool_call_id: string; content: string }
  | {
      role: "assistant";
      content: string | null;
      tool_calls?: ChatCall[];
      reasoning_content?: string;
    };

function toChatMessages({ model, system, messages }: ModelRequest, mapId: MapId): ChatMessage[] {
  const loopStart = returnsReasoning(model) ? messages.findLastIndex(isPrompt) : messages.length;
  const prompt = system.map(({ text }) => text).join("\n\n");
  return [
    ...(prompt === "" ? [] : [{ role: "system" as const, content: prompt }]),
    ...messages.flatMap((message, index) =>
      message.role === "user"
        ? toUserMessages(message, mapId)
        : toAssistantMessages(message, index > loopStart, mapId),
    ),
  ];
}

/** A message that begins a turn; one with tool results continues it. */
const isPrompt = ({ role, content }: Message): boolean =>
  role === "user" && content.every(({ type }) => type !== "tool_result");

/** Results come first, each in its own message; their images follow as if the user had sent them. */
function toUserMessages({ content }: Message, mapId: MapId): ChatMessage[] {
  const results = content.filter((block) => block.type === "tool_result");
  const parts = [...results.flatMap(pickImages), ...content].flatMap(toParts);
  return [
    ...results.map((result) => ({
      role: "tool" as const,
      tool_call_id: mapId(result.tool_use_id),
      content: joinResult(result),
    })),
    ...(parts.length === 0 ? [] : [{ role: "user" as const, content: simplest(parts) }]),
  ];
}

const pickImages = ({ content }: ToolResultBlock): ImageBlock[] =>
  content.filter((block) => block.type === "image");

function joinResult(result: ToolResultBlock): string {
  const text = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const images = pickImages(result).length;
  if (images > 0) text.push(`(${counted(images, "image")}, shown below)`);
  const joined = text.join("\n") || "(no output)";
  return result.is_error ? `Error: ${joined}` : joined;
}

function toParts(block: Block): ContentPart[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "image": {
      const { media_type, data } = block.source;
      return [{ type: "image_url", image_url: { url: `data:${media_type};base64,${data}` } }];
    }
    // A summary that Anthropic's server wrote, in a session that was resumed elsewhere.
    case "compaction":
      return block.content === null ? [] : [{ type: "text", text: block.content }];
    default:
      return [];
  }
}

/** The prompt templates of small servers often accept only a string. */
function simplest(parts: ContentPart[]): string | ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

function toAssistantMessages({ content }: Message, inLoop: boolean, mapId: MapId): ChatMessage[] {
  const texts: string[] = [];
  const reasoning: string[] = [];
  const calls: ChatCall[] = [];
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    if (block.type === "thinking" && inLoop) reasoning.push(block.thinking);
    if (block.type === "compaction" && block.content !== null) texts.push(block.content);
    if (block.type === "tool_use")
      calls.push({
        id: mapId(block.id),
        type: "function",
        function: { name: block.name, arguments: JSON.stringify(block.input) },
      });
  }
  if (texts.length === 0 && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: texts.length === 0 ? null : texts.join("\n\n"),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(reasoning.length > 0 && { reasoning_content: reasoning.join("\n\n") }),
    },
  ];
}

const toChatTool = (tool: ModelRequest["tools"][number]): object => ({
  type: "function",
  function: { name: tool.name, description: tool.description, parameters: tool.input_schema },
});
