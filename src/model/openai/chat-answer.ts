/**
 * Rebuilds an answer from the chunks of a chat completion. Servers differ in nearly every field:
 * fields that only describe the answer may be missing or malformed. Text, names and arguments in an
 * unknown form are refused, because leaving them out would change the answer.
 */

import { z } from "zod";
import type { AssistantBlock, ToolInput } from "../../protocol/block.ts";
import { parseJson } from "../../base/guards.ts";
import type { ModelEvent, ModelRequest, Stop, Usage } from "../../protocol/model.ts";
import { parseInput } from "../anthropic/answer.ts";
import { returnsReasoning } from "../catalog.ts";
import { type OpenAnswer, keptId } from "./post.ts";

/** Some send counts as text, or with a fraction. */
const count = z.coerce.number().nonnegative().finite().transform(Math.round).nullish().catch(null);

const string = z.string().nullish().catch(null);

const word = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);

/** Mistral sends a list of parts, including its reasoning. */
const text = z
  .union([
    z.string(),
    z
      .array(z.looseObject({ text: z.string().optional() }).catch({}))
      .transform((parts) => parts.map((part) => part.text ?? "").join("")),
  ])
  .nullish();

const namedCall = z
  .looseObject({
    name: z.string().nullish(),
    /** Some gateways forget to serialize arguments that they hold as an object. */
    arguments: z
      .union([
        z.string(),
        z.record(z.string(), z.unknown()).transform((input) => JSON.stringify(input)),
      ])
      .nullish(),
  })
  .nullish();

const callPart = z.looseObject({
  index: z.coerce.number().int().nonnegative().catch(0),
  id: word,
  function: namedCall,
});

const message = z.looseObject({
  content: text,
  refusal: z.string().nullish(),
  /** DeepSeek, llama.cpp and LM Studio; Ollama and vLLM call it `reasoning`. */
  reasoning_content: string,
  reasoning: string,
  tool_calls: z.array(callPart).nullish(),
  /** The predecessor of `tool_calls`; some servers still answer with it. */
  function_call: namedCall.catch(null),
});

const chatChunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: message.nullish(),
        /** The whole answer, from a server that does not stream. */
        message: message.nullish(),
        finish_reason: word,
      }),
    )
    .nullish(),
  usage: z
    .looseObject({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.looseObject({ cached_tokens: count }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
});

type ChatChunk = z.infer<typeof chatChunk>;
type CallPart = z.infer<typeof callPart>;

type GrowingText = { type: "text"; index: number; text: string };
type GrowingCall = {
  type: "call";
  index: number;
  slot: number;
  id: string;
  /** The id that the server used: ours may have to differ. */
  given: string | null;
  name: string;
  json: string;
};

/** Reads the answer to a request, as chunks of a chat completion. */
export function readChat({ model, messages }: ModelRequest): OpenAnswer {
  /** Some servers start over with the ids of calls in every answer. */
  const taken = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])),
    ),
  );
  const growing: (GrowingText | GrowingCall)[] = [];
  let nextIndex = 0;
  let reasoning: { index: number; text: string } | null = null;
  let finish: string | null = null;
  let isEnded = false;
  let hasUsage = false;
  let refusal = "";
  let usage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

  function think(text: string): ModelEvent {
    reasoning ??= { index: nextIndex++, text: "" };
    reasoning.text += text;
    return { type: "delta", index: reasoning.index, kind: "thinking", text };
  }

  function say(text: string): ModelEvent {
    let last = growing.at(-1);
    if (last?.type !== "text") {
      last = { type: "text", index: nextIndex++, text: "" };
      growing.push(last);
    }
    last.text += text;
    return { type: "delta", index: last.index, kind: "text", text };
  }

  function* callWith(part: CallPart): Generator<ModelEvent, void> {
    const call = findCall(part);
    call.name = joinName(call, part.function?.name ?? "");
    const json = part.function?.arguments ?? "";
    if (json === "") return;
    // Some send all of it again.
    const isAgain = json.startsWith("{") && isWhole(call.json) && isWhole(json);
    call.json = isAgain ? json : call.json + json;
    yield { type: "delta", index: call.index, kind: "input", text: json };
  }

  /**
   * Ollama numbers all parallel calls 0: a new id, or a name after arguments, is a new call. A new
   * id without a name in the middle of arguments is not: some servers make one for every piece.
   */
  function findCall({ index: slot, id, function: named }: CallPart): GrowingCall {
    const open = growing.findLast(
      (part): part is GrowingCall => part.type === "call" && part.slot === slot,
    );
    if (open) {
      const isForeign = id && id !== open.given;
      const isOther = isForeign && (named?.name || open.json === "" || isWhole(open.json));
      const renamed = !id && named?.name && open.json !== "";
      if (!isOther && !renamed) return open;
    }
    const call: GrowingCall = {
      type: "call",
      index: nextIndex++,
      slot,
      id: unique(id ? keptId(id) : newId()),
      given: id || null,
      name: "",
      json: "",
    };
    growing.push(call);
    return call;
  }

  function unique(id: string): string {
    const free = taken.has(id) ? newId() : id;
    taken.add(free);
    return free;
  }

  function stop(): Stop {
    // Some servers end an answer with tool calls with "stop".
    const isCut = cutReasons.has(finish ?? "");
    if (!isCut && growing.some(({ type }) => type === "call")) return "tool_use";
    if (refusal !== "") return "refusal";
    if (isCut) return "max_tokens";
    return finish === "content_filter" ? "refusal" : "end_turn";
  }

  function* read({ choices, usage: used }: ChatChunk): Generator<ModelEvent, void> {
    if (used != null) {
      hasUsage = true;
      const cached = used.prompt_tokens_details?.cached_tokens ?? 0;
      const prompt = used.prompt_tokens ?? 0;
      usage = {
        input: Math.max(0, prompt - cached),
        cacheRead: Math.min(cached, prompt),
        cacheWrite: 0,
        output: used.completion_tokens ?? 0,
      };
    }
    const choice = choices?.[0];
    // The last chunk holds the usage alone; some servers send such a chunk before the words, too.
    if (used != null && choices?.length === 0) isEnded = true;
    if (choice === undefined) return;
    isEnded = false;
    const delta = choice.delta ?? choice.message;
    const thought = delta?.reasoning_content || delta?.reasoning;
    if (thought) yield think(thought);
    if (delta?.content) yield say(delta.content);
    if (delta?.refusal) refusal += delta.refusal;
    for (const part of delta?.tool_calls ?? []) yield* callWith(part);
    if (delta?.function_call) yield* callWith({ index: 0, function: delta.function_call });
    if (choice.finish_reason) finish = choice.finish_reason;
  }

  return {
    isComplete: () => finish !== null || (isEnded && (growing.length > 0 || reasoning !== null)),

    hasUsage: () => finish !== null && hasUsage,

    hasFailed: () => finish === "error",

    ended: () => void (isEnded = true),

    take(raw) {
      const chunk = chatChunk.safeParse(raw).data;
      return chunk ? read(chunk) : null;
    },

    *end() {
      if (reasoning !== null) {
        const { index, text } = reasoning;
        // Some servers put the whole answer there.
        if (growing.length === 0) yield { type: "block", index, block: { type: "text", text } };
        else if (returnsReasoning(model))
          yield {
            type: "block",
            index,
            block: { type: "thinking", thinking: text, signature: "" },
          };
      }
      for (const part of growing) yield { type: "block", index: part.index, block: toBlock(part) };
      const detail = refusal === "" ? {} : { detail: refusal };
      yield { type: "stop", stop: stop(), usage, ...detail };
    },
  };
}

const newId = (): string => `call_${crypto.randomUUID()}`;

function toBlock(growing: GrowingText | GrowingCall): AssistantBlock {
  if (growing.type === "text") return { type: "text", text: growing.text };
  return {
    type: "tool_use",
    id: growing.id,
    name: growing.name,
    input: parseArguments(growing.json),
  };
}

/** Some servers write the JSON as JSON once more, or as a block of Markdown. */
function parseArguments(json: string): ToolInput {
  if (json.trim() === "") return {};
  const inner = json.startsWith('"') ? parseJson(json) : null;
  const text = typeof inner === "string" ? inner : json;
  return parseInput(fenced.exec(text)?.[1] ?? text);
}

const fenced = /^\s*```(?:json)?\s*(\{[^]*\})\s*```\s*$/;

/** A name that comes in pieces, or again with every piece of the arguments. */
function joinName({ name, json }: GrowingCall, part: string): string {
  if (json !== "" || name === part) return name || part;
  return part.startsWith(name) ? part : name + part;
}

const isWhole = (json: string): boolean =>
  json.trimEnd().endsWith("}") && parseJson(json) !== undefined;

/** Mistral and some gateways use other words for "length". */
const cutReasons: ReadonlySet<string> = new Set(["length", "max_tokens", "model_length"]);
