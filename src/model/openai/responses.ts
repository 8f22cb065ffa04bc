/**
 * A `ModelRequest` as a request to OpenAI's Responses API. The server keeps nothing: its reasoning comes
 * encrypted, and is sent back with the conversation.
 */

import { isRecord, isTooDeep, parseJson } from "../../base/guards.ts";
import type { AssistantBlock, Block, ToolResultBlock } from "../../protocol/block.ts";
import type { Message, ModelEvent, ModelRequest, Stop } from "../../protocol/model.ts";
import { reasoningEfforts } from "./chat-request.ts";
import { z } from "zod";
import { parseInput } from "../anthropic/answer.ts";
import { unknownReason } from "../failures.ts";
import type { Dialect } from "./dialect.ts";
import { count, newId, usageOf, type GrowingAnswer } from "../read-answer.ts";
import { keptId, sentId } from "./post.ts";
import { toSchema } from "./schemas.ts";

/** Begins the signature of a thinking block that holds an item of this API. */
const reasoningMark = "openai:";

/** An item of reasoning, kept whole as the signature of a thinking block. */
const keepReasoning = (item: object): string => reasoningMark + JSON.stringify(item);

export function toResponsesRequest(request: ModelRequest, dialect: Dialect): object {
  const tools = [...request.tools, ...(request.loadedTools ?? [])];
  const instructions = request.system.map(({ text }) => text).join("\n\n");
  const thinks = request.thinking === "adaptive";
  return {
    model: request.model,
    input: request.messages.flatMap((message) => toItems(message, dialect)),
    stream: true,
    store: false,
    max_output_tokens: Math.min(request.maxTokens, dialect.maxTokens ?? Infinity),
    ...(instructions !== "" && { instructions }),
    ...(thinks && {
      include: ["reasoning.encrypted_content"],
      reasoning: {
        ...(!dialect.omitted.has("summary") && { summary: "auto" }),
        ...(request.effort &&
          !dialect.omitted.has("reasoning_effort") && { effort: reasoningEfforts[request.effort] }),
      },
    }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, input_schema }) => {
        const parameters = toSchema(input_schema, dialect.plainSchemas);
        return { type: "function", name, description, parameters, strict: false };
      }),
    }),
  };
}

/** Blocks of a message between calls and results are one item; results come first, as they must. */
function toItems({ role, content }: Message, { idLength, unreadable }: Dialect): object[] {
  const items: object[] = [];
  let parts: object[] = [];
  let reasoning: object[] = [];
  const flush = (): void => {
    if (parts.length > 0) push({ type: "message", role, content: parts });
    parts = [];
  };
  // Servers refuse reasoning without the item that followed it, as in an interrupted answer.
  const push = (item: object): void => {
    items.push(...reasoning, item);
    reasoning = [];
  };
  for (const block of content) {
    if (block.type === "tool_result") {
      items.push({
        type: "function_call_output",
        call_id: sentId(block.tool_use_id, idLength),
        output: toOutput(block),
      });
      continue;
    }
    const item = toItem(block, idLength);
    if (item === null) parts.push(...toParts(block, role));
    else {
      flush();
      if (block.type !== "thinking") push(item);
      else if (!unreadable.has(block.signature)) reasoning.push(item);
    }
  }
  flush();
  return items;
}

/** Null: the block is a part of a message. */
function toItem(block: Block, idLength: number | null): object | null {
  if (block.type === "tool_use")
    return {
      type: "function_call",
      call_id: sentId(block.id, idLength),
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

const index = z.number().int().nonnegative().catch(0);

const item = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("message"),
    content: z.array(
      z.looseObject({ text: z.string().optional(), refusal: z.string().optional() }),
    ),
  }),
  z.looseObject({
    type: z.literal("function_call"),
    call_id: z.string().min(1).catch(newId),
    name: z.string().min(1),
    arguments: z
      .string()
      .or(z.record(z.string(), z.unknown()).transform((input) => JSON.stringify(input)))
      .catch(""),
  }),
  z.looseObject({
    type: z.literal("reasoning"),
    summary: z.array(z.looseObject({ text: z.string() })).default([]),
    encrypted_content: z.string().nullish(),
  }),
]);

const response = z.looseObject({
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish().catch(null),
  /** The items once more; some servers send them only here. */
  output: z.array(z.looseObject({})).nullish().catch(null),
  usage: z
    .looseObject({
      input_tokens: count,
      output_tokens: count,
      input_tokens_details: z.looseObject({ cached_tokens: count }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

const delta = z.object({ output_index: index, delta: z.string() });

/** By the kind of event; others only repeat what these say. */
const events = {
  "response.output_text.delta": delta,
  "response.refusal.delta": delta,
  "response.reasoning_summary_text.delta": delta,
  "response.reasoning_text.delta": delta,
  "response.function_call_arguments.delta": delta,
  "response.output_item.added": z.object({ output_index: index, item: z.looseObject({}) }),
  "response.output_item.done": z.object({ output_index: index, item: z.looseObject({}) }),
  "response.completed": z.object({ response }),
  "response.incomplete": z.object({ response }),
};

type EventKind = keyof typeof events;

const isKnown = (kind: string): kind is EventKind => Object.hasOwn(events, kind);

const kindSchema = z.looseObject({ type: z.string() });

export function readResponse(): GrowingAnswer {
  let ending: z.infer<typeof response> | null = null;
  let refusal = "";
  let items = 0;
  /** Ids and places, of which some servers use one twice. */
  const calls = new Set<string>();
  const places = new Set<number>();

  function* finish(given: number, raw: object): Generator<ModelEvent, void> {
    items++;
    let at = given;
    while (places.has(at)) at++;
    places.add(at);
    // Items of hosted tools, which are never asked for.
    const { data } = item.safeParse(raw);
    if (!data) return;
    if (data.type === "function_call") {
      if (calls.has(data.call_id)) data.call_id = newId();
      calls.add(data.call_id);
    }
    if (data.type === "message") refusal += data.content.map((part) => part.refusal ?? "").join("");
    const block = blockFrom(data, raw);
    if (block) yield { type: "block", index: at, block };
  }

  function stop(): Stop {
    if (calls.size > 0) return "tool_use";
    const reason = ending?.incomplete_details?.reason;
    if (refusal !== "" || reason === "content_filter") return "refusal";
    if (reason === "max_output_tokens") return "max_tokens";
    return reason ? "unknown" : "end_turn";
  }

  return {
    isComplete: () => ending !== null,
    hasUsage: () => ending !== null,
    hasFailed: () => false,
    ended: () => undefined,
    isEnded: () => false,

    take(given) {
      const isWhole = isRecord(given) && given["object"] === "response";
      const raw = isWhole ? { type: "response.completed", response: given } : given;
      const kind = isTooDeep(raw) ? undefined : kindSchema.safeParse(raw).data?.type;
      if (kind === undefined) return null;
      if (!isKnown(kind)) return [];
      const { data } = events[kind].safeParse(raw);
      if (!data) return null;
      if ("response" in data) {
        ending = data.response;
        const output = items === 0 ? (ending.output ?? []) : [];
        return output.flatMap((whole, at) => [...finish(at, whole)]);
      }
      if ("item" in data)
        return kind === "response.output_item.done" ? finish(data.output_index, data.item) : [];
      const shown = kind.includes("reasoning")
        ? "thinking"
        : kind.includes("arguments")
          ? "input"
          : "text";
      return [{ type: "delta", index: data.output_index, kind: shown, text: data.delta }];
    },

    *end() {
      const how = stop();
      const reason = ending?.incomplete_details?.reason ?? "";
      const detail = how === "unknown" ? unknownReason(reason) : refusal;
      const { input_tokens, input_tokens_details: cached, output_tokens } = ending?.usage ?? {};
      const usage = usageOf(input_tokens, cached?.cached_tokens, output_tokens);
      yield { type: "stop", stop: how, usage, ...(detail !== "" && { detail }) };
    },
  };
}

/** `raw`: the item as it came. */
function blockFrom(found: z.infer<typeof item>, raw: object): AssistantBlock | null {
  switch (found.type) {
    case "message": {
      const text = found.content.map((part) => part.text ?? part.refusal ?? "").join("");
      return text === "" ? null : { type: "text", text };
    }
    case "function_call": {
      const input = found.arguments.trim() === "" ? {} : parseInput(found.arguments);
      return { type: "tool_use", id: keptId(found.call_id), name: found.name, input };
    }
    case "reasoning": {
      const thinking = found.summary.map(({ text }) => text).join("\n\n");
      // Without its encrypted content, the server could not read it again.
      if (!found.encrypted_content) return null;
      return { type: "thinking", thinking, signature: keepReasoning(raw) };
    }
  }
}
