/** Rebuilds an answer from the chunks of a chat completion, as many kinds of server send them. */

import type { AssistantBlock, ToolInput } from "../protocol/block.ts";
import { parseJson } from "../protocol/guards.ts";
import type { ModelEvent, Stop, Usage } from "../protocol/model.ts";
import { parseInput } from "./anthropic-stream.ts";
import { keptId } from "./chat-call-ids.ts";
import type { CallPart, ChatChunk } from "./openai-chunk.ts";

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

export class ChatReader {
  readonly #taken: Set<string>;
  readonly #growing: (GrowingText | GrowingCall)[] = [];
  #nextIndex = 0;
  #reasoning: { index: number; text: string } | null = null;
  readonly #keepsReasoning: boolean;
  #finish: string | null = null;
  #isEnded = false;
  #hasUsage = false;
  #refusal = "";
  #usage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

  /**
   * `taken`: ids of earlier calls, since some servers start over with every answer.
   * `keepsReasoning`: the model wants its reasoning sent back.
   */
  constructor(taken: Iterable<string>, keepsReasoning: boolean) {
    this.#taken = new Set(taken);
    this.#keepsReasoning = keepsReasoning;
  }

  /** A finish reason arrived, or the stream ended as it should with something in it. */
  get complete(): boolean {
    const isEmpty = this.#growing.length === 0 && this.#reasoning === null;
    return this.#finish !== null || (this.#isEnded && !isEmpty);
  }

  /** The reason why the answer ended has arrived, and what it used. */
  get hasUsage(): boolean {
    return this.#finish !== null && this.#hasUsage;
  }

  /** The server says that it could not finish. */
  get failed(): boolean {
    return this.#finish === "error";
  }

  /** The server says that the answer is over: some leave out the reason. */
  ended(): void {
    this.#isEnded = true;
  }

  *read({ choices, usage }: ChatChunk): Generator<ModelEvent, void> {
    if (usage != null) {
      this.#hasUsage = true;
      const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
      const prompt = usage.prompt_tokens ?? 0;
      this.#usage = {
        input: Math.max(0, prompt - cached),
        cacheRead: Math.min(cached, prompt),
        cacheWrite: 0,
        output: usage.completion_tokens ?? 0,
      };
    }
    const choice = choices?.[0];
    // The last chunk holds the usage alone; some servers send such a chunk before the words, too.
    if (usage != null && choices?.length === 0) this.ended();
    if (choice === undefined) return;
    this.#isEnded = false;
    const delta = choice.delta ?? choice.message;
    const thought = delta?.reasoning_content || delta?.reasoning;
    if (thought) yield this.#think(thought);
    if (delta?.content) yield this.#say(delta.content);
    if (delta?.refusal) this.#refusal += delta.refusal;
    for (const part of delta?.tool_calls ?? []) yield* this.#call(part);
    if (delta?.function_call) yield* this.#call({ index: 0, function: delta.function_call });
    if (choice.finish_reason) this.#finish = choice.finish_reason;
  }

  /** The blocks, and how the answer ended. Call it when the stream is over. */
  *end(): Generator<ModelEvent, void> {
    const reasoning = this.#reasoning;
    if (reasoning !== null) {
      const { index, text } = reasoning;
      // Some servers put the whole answer there.
      if (this.#growing.length === 0) yield { type: "block", index, block: { type: "text", text } };
      else if (this.#keepsReasoning)
        yield { type: "block", index, block: { type: "thinking", thinking: text, signature: "" } };
    }
    for (const growing of this.#growing)
      yield { type: "block", index: growing.index, block: blockOf(growing) };
    yield {
      type: "stop",
      stop: this.#stop(),
      usage: this.#usage,
      ...(this.#refusal !== "" && { detail: this.#refusal }),
    };
  }

  #think(text: string): ModelEvent {
    this.#reasoning ??= { index: this.#nextIndex++, text: "" };
    this.#reasoning.text += text;
    return { type: "delta", index: this.#reasoning.index, kind: "thinking", text };
  }

  #say(text: string): ModelEvent {
    let last = this.#growing.at(-1);
    if (last?.type !== "text") {
      last = { type: "text", index: this.#nextIndex++, text: "" };
      this.#growing.push(last);
    }
    last.text += text;
    return { type: "delta", index: last.index, kind: "text", text };
  }

  *#call(part: CallPart): Generator<ModelEvent, void> {
    const call = this.#callOf(part);
    call.name = nameOf(call, part.function?.name ?? "");
    const json = part.function?.arguments ?? "";
    if (json === "") return;
    // Some send all of it again.
    const isAgain = json.startsWith("{") && isWhole(call.json) && isWhole(json);
    call.json = isAgain ? json : call.json + json;
    yield { type: "delta", index: call.index, kind: "input", text: json };
  }

  /**
   * Ollama numbers all parallel calls 0: a new id, or a name after arguments, is a new call. A new id
   * without a name in the middle of arguments is not: some servers make one for every piece.
   */
  #callOf({ index: slot, id, function: named }: CallPart): GrowingCall {
    const open = this.#growing.findLast(
      (one): one is GrowingCall => one.type === "call" && one.slot === slot,
    );
    if (open) {
      const isForeign = id && id !== open.given;
      const isOther = isForeign && (named?.name || open.json === "" || isWhole(open.json));
      const renamed = !id && named?.name && open.json !== "";
      if (!isOther && !renamed) return open;
    }
    const call: GrowingCall = {
      type: "call",
      index: this.#nextIndex++,
      slot,
      id: this.#unique(id ? keptId(id) : `call_${crypto.randomUUID()}`),
      given: id || null,
      name: "",
      json: "",
    };
    this.#growing.push(call);
    return call;
  }

  #unique(id: string): string {
    const unique = this.#taken.has(id) ? `call_${crypto.randomUUID()}` : id;
    this.#taken.add(unique);
    return unique;
  }

  #stop(): Stop {
    // Some servers end an answer with tool calls with "stop".
    const isCut = cutReasons.has(this.#finish ?? "");
    if (!isCut && this.#growing.some(({ type }) => type === "call")) return "tool_use";
    if (this.#refusal !== "") return "refusal";
    if (isCut) return "max_tokens";
    return this.#finish === "content_filter" ? "refusal" : "end_turn";
  }
}

function blockOf(growing: GrowingText | GrowingCall): AssistantBlock {
  if (growing.type === "text") return { type: "text", text: growing.text };
  return { type: "tool_use", id: growing.id, name: growing.name, input: inputOf(growing.json) };
}

/** Some servers write the JSON as JSON once more, or as a block of Markdown. */
function inputOf(json: string): ToolInput {
  if (json.trim() === "") return {};
  const inner = json.startsWith('"') ? parseJson(json) : null;
  const text = typeof inner === "string" ? inner : json;
  return parseInput(fenced.exec(text)?.[1] ?? text);
}

const fenced = /^\s*```(?:json)?\s*(\{[^]*\})\s*```\s*$/;

/** A name that comes in pieces, or again with every piece of the arguments. */
function nameOf({ name, json }: GrowingCall, part: string): string {
  if (json !== "" || name === part) return name || part;
  return part.startsWith(name) ? part : name + part;
}

const isWhole = (json: string): boolean =>
  json.trimEnd().endsWith("}") && parseJson(json) !== undefined;

/** Mistral and some gateways use other words for "length". */
const cutReasons: ReadonlySet<string> = new Set(["length", "max_tokens", "model_length"]);
