/**
 * Rebuilds an answer from the chunks of a chat completion. Servers differ in nearly every field:
 * fields that only describe the answer may be missing or malformed. Text, names and arguments in an
 * unknown form are refused, because leaving them out would change the answer.
 */

import { isTooDeep, parseJson } from "../../base/guards.ts";
import type { ToolInput, ToolUseBlock } from "../../protocol/block.ts";
import {
  modelStops,
  noUsage,
  type ModelEvent,
  type ModelRequest,
  type Stop,
  type ToolDefinition,
} from "../../protocol/model.ts";
import { parseInput } from "../anthropic/answer.ts";
import { returnsReasoning } from "../catalog.ts";
import { unknownReason } from "../failures.ts";
import { type CallPart, type ChatChunk, chatChunk } from "./chat-chunk.ts";
import type { Dialect } from "./dialect.ts";
import { newId, usageOf, type GrowingAnswer } from "../read-answer.ts";
import { keptId } from "./post.ts";
import { cleanName, findTextCalls } from "./text-calls.ts";
import { afterThought, ThinkTags } from "./think-tags.ts";

type GrowingText = { type: "text"; index: number; text: string };
/** Reads the answer to a request, as chunks of a chat completion. `dialect`: as learned for the request. */
export function readChat(request: ModelRequest, dialect: Dialect): GrowingAnswer {
  const { model, messages } = request;
  const tools = [...request.tools, ...(request.loadedTools ?? [])];
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
  const textForms = new ThinkTags();
  let choiceIndex: number | null = null;
  let details: Record<string, unknown>[] = [];
  let provider = "";
  let usage = noUsage;

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

  function* sayOrThink(text: string): Generator<ModelEvent, void> {
    for (const piece of textForms.feed(text))
      yield piece.kind === "text" ? say(piece.text) : think(piece.text);
  }

  function* callWith(part: CallPart): Generator<ModelEvent, void> {
    const call = findCall(part);
    call.name = joinName(call, part.function?.name ?? "");
    keepExtra(call, part);
    const json = part.function?.arguments ?? "";
    if (json === "") return;
    // Some servers send the whole input again.
    const isResent = json.startsWith("{") && isWhole(call.json) && isWhole(json);
    call.json = isResent ? json : call.json + json;
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
      // Some repeat the name with every piece.
      const isSame = named?.name === open.name && !isWhole(open.json);
      const renamed = !id && named?.name && open.json !== "" && !isSame;
      if (!isOther && !renamed) return open;
    }
    return begin(slot, id || null);
  }

  function begin(slot: number, given: string | null): GrowingCall {
    const id = unique(given ? keptId(given) : newId());
    const call: GrowingCall = {
      type: "call",
      index: nextIndex++,
      slot,
      id,
      given,
      name: "",
      json: "",
      extra: {},
    };
    growing.push(call);
    return call;
  }

  function unique(id: string): string {
    const free = taken.has(id) ? newId() : id;
    taken.add(free);
    return free;
  }

  function stop(calls: number): { stop: Stop; detail?: string } {
    const reason = (finish ?? "").toLowerCase();
    const known = finishReasons.get(reason);
    if (known === "max_tokens" || known === "model_context_window_exceeded") return { stop: known };
    // Some servers end an answer with tool calls with "stop".
    if (calls > 0) return { stop: "tool_use" };
    if (refusal !== "") return { stop: "refusal", detail: refusal };
    if (known === "refusal") return { stop: known, detail: `the server said “${finish}”` };
    if (known || finish === null || /^\d*$/.test(reason)) return { stop: "end_turn" };
    return { stop: "unknown", detail: unknownReason(reason) };
  }

  function take(used: ChatChunk["usage"]): void {
    if (used == null) return;
    hasUsage = true;
    const { prompt_tokens: prompt, completion_tokens: output } = used;
    const { cached_tokens: cached } = used.prompt_tokens_details ?? {};
    usage = usageOf(prompt, cached ?? used.cached_tokens ?? used.prompt_cache_hit_tokens, output);
  }

  function* read(chunk: ChatChunk): Generator<ModelEvent, void> {
    const { choices, usage: used, x_groq } = chunk;
    take(used ?? x_groq?.usage);
    provider = chunk.provider ?? provider;
    // Only one answer was asked for.
    choiceIndex ??= choices?.[0]?.index ?? null;
    const choice = choices?.find(({ index }) => (index ?? choiceIndex) === choiceIndex);
    // The last chunk holds the usage alone; some servers send such a chunk before the words, too.
    if (used != null && choices?.length === 0) isEnded = true;
    if (choice === undefined) return;
    take(used ?? choice.usage);
    isEnded = false;
    const delta = choice.delta ?? choice.message;
    const thought = delta?.reasoning_content || delta?.reasoning;
    if (thought) yield think(thought);
    if (delta?.reasoning_details) details = joinDetails(details, delta.reasoning_details);
    if (delta?.content) yield* sayOrThink(delta.content);
    if (delta?.refusal) refusal += delta.refusal;
    for (const part of delta?.tool_calls ?? []) yield* callWith(part);
    if (delta?.function_call) yield* callWith({ index: 0, function: delta.function_call });
    if (choice.finish_reason) finish = choice.finish_reason;
  }

  /**
   * Calls that are text become calls, and a thought whose opening tag was in the prompt is taken out. Returns
   * whether the text ends with a call that cannot be read.
   */
  function* finished(): Generator<ModelEvent, boolean> {
    for (const piece of textForms.end())
      yield piece.kind === "text" ? say(piece.text) : think(piece.text);
    const last = growing.at(-1);
    const first = growing[0];
    if (first?.type === "text") {
      const folded = afterThought(first.text);
      if (folded) {
        reasoning ??= { index: nextIndex++, text: "" };
        reasoning.text += folded.thought;
        first.text = folded.answer;
      }
      first.text = first.text.replace(finalMark, "");
    }
    const isCut = finishReasons.get((finish ?? "").toLowerCase()) === "max_tokens";
    if (isCut || growing.some(({ type }) => type === "call")) return false;
    const text = last?.type === "text" ? last.text : (reasoning?.text ?? "");
    const found = findTextCalls(text, tools);
    if (found === null || found.calls.length === 0) return found !== null;
    if (last?.type === "text") last.text = found.before;
    for (const { name, input } of found.calls)
      Object.assign(begin(-1, null), { name, json: JSON.stringify(input) });
    return false;
  }

  return {
    isComplete: () => finish !== null || (isEnded && (growing.length > 0 || reasoning !== null)),

    hasUsage: () => finish !== null && hasUsage,

    hasFailed: () => failedReasons.has((finish ?? "").toLowerCase()),

    ended: () => void (isEnded = true),

    isEnded: () => false,

    take(raw) {
      const chunk = isTooDeep(raw) ? null : chatChunk.safeParse(raw).data;
      return chunk ? read(chunk) : null;
    },

    *end() {
      const isUnread = yield* finished();
      const parts = growing.filter((part) => part.type === "call" || part.text !== "");
      const calls = parts.filter((part) => part.type === "call");
      if (reasoning !== null) {
        const { index, text } = reasoning;
        // Some servers put the whole answer there.
        if (parts.length === 0) yield { type: "block", index, block: { type: "text", text } };
        else if (dialect.fillsReasoning || returnsReasoning(model)) {
          const block = { type: "thinking", thinking: text, signature: "" } as const;
          yield { type: "block", index, block };
        }
      }
      // Clears text that was streamed but is not part of the answer.
      for (const { index, type } of growing)
        if (type === "text" && !parts.some((part) => part.index === index))
          yield { type: "block", index, block: { type: "text", text: "" } };
      if (calls[0] && details.length > 0)
        calls[0].extra.message = { reasoning_details: details, origin: `${model} ${provider}` };
      for (const part of parts)
        yield {
          type: "block",
          index: part.index,
          block: part.type === "text" ? { type: "text", text: part.text } : toToolUse(part, tools),
        };
      const ending = stop(calls.length);
      yield {
        type: "stop",
        usage,
        ...(isUnread && ending.stop === "end_turn"
          ? { stop: "unknown", detail: unreadCall }
          : ending),
      };
    },
  };
}

const unreadCall =
  "The answer ends with a tool call as text, which the server did not parse. Start llama.cpp with --jinja, or vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model; in Ollama, use a model whose template has tools.";

/** Begins the answer of gpt-oss after its thoughts. */
const finalMark = /^\s*(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>/;

/** Reasons to finish, by the words of servers; others are not taken for success. */
const finishReasons = new Map<string, Stop>(
  Object.entries({
    end_turn:
      "stop end_turn eos eos_token stop_sequence complete completed done finished tool_calls tool_call tool_use function_call",
    max_tokens:
      "length max_tokens model_length max_output_tokens max_completion_tokens output_limit",
    model_context_window_exceeded:
      "model_context_window_exceeded context_window_exceeded context_length_exceeded context_length",
    refusal:
      "content_filter content_filtered sensitive safety recitation prohibited_content blocklist spii refusal",
  }).flatMap(([stop, words]) =>
    words.split(" ").flatMap((word) => {
      const known = modelStops.find((name) => name === stop);
      return known ? [[word, known] as const] : [];
    }),
  ),
);

/** The server could not finish, so the call is made again. */
const failedReasons: ReadonlySet<string> = new Set(
  "error network_error insufficient_system_resource abort aborted cancelled canceled timeout server_error internal_error overloaded".split(
    " ",
  ),
);

type GrowingCall = {
  type: "call";
  index: number;
  slot: number;
  id: string;
  /** The id that the server used: ours may have to differ. */
  given: string | null;
  name: string;
  json: string;
  extra: NonNullable<ToolUseBlock["extra"]>;
};

function keepExtra(call: GrowingCall, part: CallPart): void {
  const { index: _index, id: _id, type: _type, function: named, ...beside } = part;
  const { name: _name, arguments: _json, ...inside } = named ?? {};
  if (Object.keys(beside).length > 0) call.extra.call = { ...call.extra.call, ...beside };
  if (Object.keys(inside).length > 0) call.extra.function = { ...call.extra.function, ...inside };
}

/** Pieces of one detail come one after another, each with a part of its text. */
function joinDetails(
  known: readonly Record<string, unknown>[],
  pieces: readonly Record<string, unknown>[],
): Record<string, unknown>[] {
  const joined = [...known];
  for (const piece of pieces) {
    const last = joined.at(-1);
    const isSame =
      last !== undefined && last["type"] === piece["type"] && last["index"] === piece["index"];
    if (!isSame || piece["type"] === "reasoning.encrypted") {
      joined.push(piece);
      continue;
    }
    const texts = ["text", "summary"].flatMap((key) =>
      typeof last[key] === "string" && typeof piece[key] === "string"
        ? [[key, last[key] + piece[key]]]
        : [],
    );
    const given = Object.entries(piece).filter(([, value]) => value != null);
    joined[joined.length - 1] = {
      ...last,
      ...Object.fromEntries(given),
      ...Object.fromEntries(texts),
    };
  }
  return joined;
}

function toToolUse(growing: GrowingCall, tools: readonly ToolDefinition[]): ToolUseBlock {
  return {
    type: "tool_use",
    id: growing.id,
    name: cleanName(growing.name, tools),
    input: parseArguments(growing.json),
    ...(Object.keys(growing.extra).length > 0 && { extra: growing.extra }),
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
