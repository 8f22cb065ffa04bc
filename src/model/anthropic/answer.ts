/** Rebuilds an answer from the API's stream: every block exactly as it will be sent back. */

import { z } from "zod";
import { isRecord, isTooDeep, parseJson } from "../../base/guards.ts";
import { unreadableInputKey, type AssistantBlock, type ToolInput } from "../../protocol/block.ts";
import {
  modelStops,
  type Delta,
  type ModelEvent,
  type Stop,
  type Usage,
} from "../../protocol/model.ts";
import { unknownReason } from "../failures.ts";
import { cleanName } from "../openai/text-calls.ts";
import { newId, type GrowingAnswer } from "../read-answer.ts";
import {
  billedAnswer,
  readEvent,
  type ApiBlock,
  type ApiDelta,
  type ApiEvent,
  type ApiUsage,
} from "./events.ts";

type GrowingBlock = {
  block: ApiBlock;
  json: string;
  /** Its place in the answer: some servers number several blocks alike. */
  place: number;
};

export class AnswerReader implements GrowingAnswer {
  /** By the server's index. */
  readonly #growing = new Map<number, GrowingBlock>();
  readonly #ids = new Set<string>();
  readonly #tools: readonly { name: string }[];
  #places = 0;
  #hasCalls = false;
  #usage: ApiUsage = {};
  #stop: Stop | null = null;
  #detail: string | undefined;
  #dropped = 0;
  #isEnded = false;

  /** `tools`: the tools offered in the request. */
  constructor(tools: readonly { name: string }[] = []) {
    this.#tools = tools;
  }

  take(raw: unknown): Iterable<ModelEvent> | "ping" | null {
    if (isRecord(raw) && raw["type"] === "message") return this.#takeWhole(raw);
    const event = readEvent(raw);
    return event && (event.type === "other" ? "ping" : this.#read(event));
  }

  #takeWhole(raw: object): ModelEvent[] | null {
    const { data } = wholeMessage.safeParse(raw);
    const events = data ? toEvents(data).map(readEvent) : [null];
    return events.every((event) => event !== null)
      ? events.flatMap((event) => [...this.#read(event)])
      : null;
  }

  ended(): void {}

  isEnded = (): boolean => this.#isEnded;

  /** Only the last event is missing once the server has said why it stopped. */
  isComplete = (): boolean => this.#stop !== null || this.#isEnded;

  hasUsage = (): boolean => this.#isEnded;

  hasFailed = (): boolean => false;

  /** Takes one event and yields its additions to the answer. */
  *#read(event: ApiEvent): Generator<ModelEvent, void> {
    switch (event.type) {
      case "message_start":
        this.#usage = event.message.usage;
        this.#noteDropped(event.message.input_transformations);
        yield { type: "usage", usage: toUsage(this.#usage) };
        return;
      case "content_block_start": {
        // Another block of this number has not been ended.
        yield* this.#finish(event.index);
        if (event.content_block.type === "other") return;
        const growing = { block: event.content_block, json: "", place: this.#places++ };
        this.#growing.set(event.index, growing);
        yield* startOf(growing);
        return;
      }
      case "content_block_delta": {
        const growing = this.#growing.get(event.index) ?? this.#begin(event);
        if (growing === null || event.delta.type === "other") return;
        const shown = grow(growing, event.delta);
        if (shown) yield { type: "delta", index: growing.place, ...shown };
        return;
      }
      case "content_block_stop":
        yield* this.#finish(event.index);
        return;
      case "message_delta":
        this.#usage = merge(this.#usage, event.usage);
        this.#noteDropped(event.input_transformations);
        this.#noteStop(event.delta);
        return;
      case "message_stop":
        this.#isEnded = true;
        return;
      case "other":
        return;
    }
  }

  /** Yields the unfinished blocks and the stop. */
  *end(): Generator<ModelEvent, void> {
    for (const index of this.#growing.keys()) yield* this.#finish(index);
    yield {
      type: "stop",
      stop: this.#stop ?? (this.#hasCalls ? "tool_use" : "end_turn"),
      usage: toUsage(this.#usage),
      ...(this.#detail !== undefined && { detail: this.#detail }),
      ...(this.#dropped > 0 && { droppedThinking: this.#dropped }),
    };
  }

  /** Begins the block of an orphan delta, where its kind tells the block's. */
  #begin({
    index,
    delta,
  }: Extract<ApiEvent, { type: "content_block_delta" }>): GrowingBlock | null {
    const block: ApiBlock | null =
      delta.type === "text_delta"
        ? { type: "text", text: "" }
        : delta.type === "thinking_delta"
          ? { type: "thinking", thinking: "", signature: "" }
          : null;
    if (block === null) return null;
    const growing = { block, json: "", place: this.#places++ };
    this.#growing.set(index, growing);
    return growing;
  }

  *#finish(index: number): Generator<ModelEvent, void> {
    const growing = this.#growing.get(index);
    if (growing === undefined) return;
    this.#growing.delete(index);
    const block = finish(growing);
    if (block.type === "tool_use") {
      this.#hasCalls = true;
      if (block.id === "" || this.#ids.has(block.id)) block.id = newId();
      this.#ids.add(block.id);
      block.name = cleanName(block.name, this.#tools);
    }
    yield { type: "block", index: growing.place, block };
  }

  #noteStop({ stop_reason, stop_details }: DeltaOf<"message_delta">): void {
    const stop = modelStops.find((name) => name === stop_reason);
    if (stop !== undefined) this.#stop = stop;
    else if (stop_reason) {
      this.#stop = "unknown";
      this.#detail = unknownReason(stop_reason);
    }
    const detail = stop_details?.explanation ?? stop_details?.category;
    if (detail != null) this.#detail = detail;
  }

  #noteDropped(list: { type: string }[] | null | undefined): void {
    if (list != null) this.#dropped = list.filter(({ type }) => type === "thinking_dropped").length;
  }
}

/** A message that came whole although a stream was asked for. */
const wholeMessage = z.looseObject({
  type: z.literal("message"),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullish(),
  usage: z.unknown().optional(),
});

/** A whole message as the events of a stream. */
const toEvents = ({ content, stop_reason = null, usage }: z.infer<typeof wholeMessage>) => [
  { type: "message_start", message: { usage } },
  ...content.flatMap((block, index) => [
    { type: "content_block_start", index, content_block: block },
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason } },
  { type: "message_stop" },
];

type DeltaOf<T> = Extract<ApiEvent, { type: T; delta: unknown }>["delta"];
type ShownDelta = Pick<Delta, "kind" | "text" | "call">;

/** Text that a block already has when it begins. */
function* startOf({ block, place: index }: GrowingBlock): Generator<ModelEvent, void> {
  if (block.type === "text" && block.text !== "")
    yield { type: "delta", index, kind: "text", text: block.text };
}

/** Adds a delta to its block and returns the visible part. */
function grow(growing: GrowingBlock, delta: ApiDelta): ShownDelta | null {
  const { block } = growing;
  switch (delta.type) {
    case "text_delta":
      if (block.type !== "text") return null;
      block.text += delta.text;
      return { kind: "text", text: delta.text };
    case "thinking_delta":
      if (block.type !== "thinking") return null;
      block.thinking += delta.thinking;
      return delta.thinking === "" ? null : { kind: "thinking", text: delta.thinking };
    case "signature_delta":
      if (block.type === "thinking") block.signature += delta.signature;
      if (block.type === "compaction") block.signature = (block.signature ?? "") + delta.signature;
      return null;
    case "input_json_delta":
      growing.json += delta.partial_json;
      if (delta.partial_json === "" || block.type !== "tool_use") return null;
      return {
        kind: "input",
        text: delta.partial_json,
        call: { id: block.id, name: block.name },
      };
    case "compaction_delta":
      if (block.type !== "compaction") return null;
      if (delta.content !== null) block.content = (block.content ?? "") + delta.content;
      if (delta.encrypted_content !== undefined) block.encrypted_content = delta.encrypted_content;
      return delta.content === null ? null : { kind: "text", text: delta.content };
  }
}

function finish({ block, json }: GrowingBlock): AssistantBlock {
  return block.type === "tool_use" && json !== "" ? { ...block, input: parseInput(json) } : block;
}

/**
 * The input of a tool call, from the JSON that a model wrote. Anything but a JSON object is kept as
 * `{ [unreadableInputKey]: "what it wrote" }`, so that the call can be refused with a reason.
 */
export function parseInput(json: string): ToolInput {
  const value = parseJson(json);
  return isRecord(value) && !isTooDeep(value) ? { ...value } : { [unreadableInputKey]: json };
}

/** The counts of `message_delta` are cumulative and replace those of `message_start`. */
function merge(start: ApiUsage, end: ApiUsage): ApiUsage {
  const named = Object.entries(end).filter(([, value]) => value != null);
  return { ...start, ...Object.fromEntries(named) };
}

/** The usage of an answer that is not streamed. */
export const billedUsage = (answer: unknown): Usage => toUsage(billedAnswer.parse(answer).usage);

export function toUsage(totals: ApiUsage): Usage {
  const usage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  // The server's own summary is a call of its own, which the totals leave out.
  const compactions = (totals.iterations ?? []).filter(({ type }) => type === "compaction");
  let written1h = 0;
  for (const part of [totals, ...compactions]) {
    usage.input += part.input_tokens ?? 0;
    usage.cacheRead += part.cache_read_input_tokens ?? 0;
    usage.cacheWrite += part.cache_creation_input_tokens ?? 0;
    usage.output += part.output_tokens ?? 0;
    written1h += part.cache_creation?.ephemeral_1h_input_tokens ?? 0;
  }
  const webSearches = totals.server_tool_use?.web_search_requests ?? 0;
  return {
    ...usage,
    ...(written1h > 0 && { cacheWrite1h: written1h }),
    ...(webSearches > 0 && { webSearches }),
  };
}
