/**
 * A `ModelRequest` as a request to OpenAI's chat completions. Thinking is sent back only within the
 * current tool loop, where the models that want it at all require it.
 */

import { counted } from "../../base/format.ts";
import type { Block, ImageBlock, ToolInput, ToolResultBlock } from "../../protocol/block.ts";
import type { Message, ModelRequest } from "../../protocol/model.ts";
import { returnsReasoning } from "../catalog.ts";
import type { Dialect } from "./dialect.ts";
import { sentId } from "./post.ts";
import { toSchema } from "./schemas.ts";

/** The request as this server takes it. */
export function toChatRequest(request: ModelRequest, dialect: Dialect): object {
  const tools = [...request.tools, ...(request.loadedTools ?? [])];
  const { lengthField, maxTokens, omitted } = dialect;
  return {
    model: request.model,
    messages: toChatMessages(request, dialect),
    stream: true,
    ...(!omitted.has("stream_options") && { stream_options: { include_usage: true } }),
    ...(lengthField && { [lengthField]: Math.min(request.maxTokens, maxTokens ?? Infinity) }),
    ...(request.effort &&
      !omitted.has("reasoning_effort") && { reasoning_effort: reasoningEfforts[request.effort] }),
    ...(tools.length > 0 && { tools: tools.map((tool) => toChatTool(tool, dialect)) }),
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

type ContentPart =
  { type: "text"; text: string } | { type: "image_url"; image_url: { url: string } };

function toChatMessages(request: ModelRequest, dialect: Dialect): object[] {
  const { model, system, messages } = request;
  const isReturned = dialect.fillsReasoning || returnsReasoning(model);
  const loopStart = isReturned ? messages.findLastIndex(isPrompt) : messages.length;
  const origin = latestOrigin(request);
  const prompt = system.map(({ text }) => text).join("\n\n");
  return [
    ...(prompt === "" ? [] : [{ role: "system", content: prompt }]),
    ...messages.flatMap((message, index) =>
      message.role === "user"
        ? toUserMessages(message, dialect)
        : toAssistantMessages(message, { inLoop: index > loopStart, origin, dialect }),
    ),
  ];
}

/** The model and provider that answered last: no other can read the reasoning of an answer. */
function latestOrigin({ model, messages }: ModelRequest): string {
  const origins = messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_use" ? (block.extra?.message?.origin ?? []) : [],
    ),
  );
  return String(origins.findLast((origin) => String(origin).startsWith(`${model} `)) ?? "");
}

/** A message that begins a turn; one with tool results continues it. */
const isPrompt = ({ role, content }: Message): boolean =>
  role === "user" && content.every(({ type }) => type !== "tool_result");

/** Results come first, each in its own message; their images follow as if the user had sent them. */
function toUserMessages({ content }: Message, dialect: Dialect): object[] {
  const results = content.filter((block) => block.type === "tool_result");
  const parts = [...results.flatMap(pickImages), ...content].flatMap(toParts);
  const isBetween = dialect.separatesUser && results.length > 0 && parts.length > 0;
  return [
    ...results.map((result) => ({
      role: "tool",
      tool_call_id: sentId(result.tool_use_id, dialect.idLength),
      content: joinResult(result),
    })),
    ...(isBetween ? [{ role: "assistant", content: "…" }] : []),
    ...(parts.length === 0 ? [] : [{ role: "user", content: simplest(parts) }]),
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
    default:
      return [];
  }
}

/** The prompt templates of small servers often accept only a string. */
function simplest(parts: ContentPart[]): string | ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n\n") : parts;
}

function toAssistantMessages(
  { content }: Message,
  { inLoop, origin: current, dialect }: { inLoop: boolean; origin: string; dialect: Dialect },
): object[] {
  const texts: string[] = [];
  const reasoning: string[] = [];
  const calls: object[] = [];
  let beside: object = {};
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
    if (block.type === "thinking" && inLoop) reasoning.push(block.thinking);
    // A summary that Anthropic's server wrote, in a session that was resumed elsewhere.
    if (block.type === "compaction" && block.content !== null) texts.push(block.content);
    if (block.type !== "tool_use") continue;
    const { extra = {} } = dialect.unreadable.has(block.id) ? {} : block;
    const { origin = current, ...fields } = extra.message ?? {};
    if (origin === current) beside = { ...beside, ...accepted(fields, dialect) };
    calls.push({
      ...accepted(extra.call, dialect),
      ...(dialect.signsForeignCalls && calls.length === 0 && !extra.call && unsigned),
      id: sentId(block.id, dialect.idLength),
      type: "function",
      function: {
        ...accepted(extra.function, dialect),
        name: block.name,
        arguments: JSON.stringify(block.input),
      },
    });
  }
  if (texts.length === 0 && calls.length === 0) return [];
  const isFilled = dialect.fillsReasoning && calls.length > 0;
  const isThinking =
    (reasoning.length > 0 || isFilled) && !dialect.omitted.has("reasoning_content");
  return [
    {
      ...beside,
      role: "assistant",
      content: texts.length > 0 ? texts.join("\n\n") : dialect.emptyContent ? "" : null,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(isThinking && { reasoning_content: reasoning.join("\n\n") }),
    },
  ];
}

/** Fields that a server added, without those that this one has refused. */
const accepted = (fields: ToolInput | undefined, { omitted }: Dialect): object =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([name]) => !omitted.has(name)));

/** Accepted by Gemini in place of the signature of a call that another model made. */
const unsigned = {
  extra_content: { google: { thought_signature: "skip_thought_signature_validator" } },
};

const toChatTool = (tool: ModelRequest["tools"][number], { plainSchemas }: Dialect): object => ({
  type: "function",
  function: {
    name: tool.name,
    description: tool.description,
    parameters: toSchema(tool.input_schema, plainSchemas),
  },
});
