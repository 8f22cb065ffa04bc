/** Rebuilds an answer from the chunks of a chat completion, as many kinds of server send them. */

import { z } from "zod";
import type { AssistantBlock } from "../protocol/block.ts";
import type { ModelEvent, Stop, Usage } from "../protocol/model.ts";
import { parseInput } from "./anthropic-stream.ts";

const count = z.number().int().nonnegative();

export const chatChunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            /** DeepSeek, llama.cpp and LM Studio; Ollama and vLLM call it `reasoning`. */
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish().catch(null),
            tool_calls: z
              .array(
                z.looseObject({
                  index: count.default(0),
                  id: z.string().nullish(),
                  function: z
                    .looseObject({ name: z.string().nullish(), arguments: z.string().nullish() })
                    .nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z
    .looseObject({
      prompt_tokens: count.nullish(),
      completion_tokens: count.nullish(),
      prompt_tokens_details: z.looseObject({ cached_tokens: count.nullish() }).nullish(),
    })
    .nullish(),
});

type ChatChunk = z.infer<typeof chatChunk>;
type ChatChoice = NonNullable<ChatChunk["choices"]>[number];
type CallPart = NonNullable<NonNullable<ChatChoice["delta"]>["tool_calls"]>[number];

type GrowingText = { type: "text"; index: number; text: string };
type GrowingCall = {
  type: "call";
  index: number;
  slot: number;
  id: string;
  name: string;
  json: string;
};

export class ChatReader {
  readonly #taken: Set<string>;
  #growing: (GrowingText | GrowingCall)[] = [];
  #nextIndex = 0;
  #reasoning: { index: number; text: string } | null = null;
  readonly #keepsReasoning: boolean;
  #calls = 0;
  #finish: string | null = null;
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

  /** A finish reason arrived, so the answer is complete. */
  get complete(): boolean {
    return this.#finish !== null;
  }

  *read({ choices, usage }: ChatChunk): Generator<ModelEvent, void> {
    if (usage != null) {
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
    if (choice === undefined) return;
    const { delta } = choice;
    const thought = delta?.reasoning_content || delta?.reasoning;
    if (thought) yield this.#think(thought);
    if (delta?.content) yield this.#say(delta.content);
    if (delta?.refusal) this.#refusal += delta.refusal;
    for (const part of delta?.tool_calls ?? []) yield* this.#call(part);
    if (choice.finish_reason) this.#finish = choice.finish_reason;
  }

  /** The blocks, and how the answer ended. To be called when the stream is over. */
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
    call.name ||= part.function?.name ?? "";
    const json = part.function?.arguments ?? "";
    if (json === "") return;
    call.json += json;
    yield { type: "delta", index: call.index, kind: "input", text: json };
  }

  /** Ollama numbers all parallel calls 0: a new id, or a name after arguments, is a new call. */
  #callOf({ index: slot, id, function: named }: CallPart): GrowingCall {
    const open = this.#growing.findLast((call) => call.type === "call" && call.slot === slot);
    if (open?.type === "call") {
      const isOther = id ? id !== open.id && this.#isForeign(id, open) : false;
      const renamed = !id && named?.name && open.json !== "";
      if (!isOther && !renamed) return open;
    }
    this.#calls += 1;
    const call: GrowingCall = {
      type: "call",
      index: this.#nextIndex++,
      slot,
      id: this.#unique(id || `call_${crypto.randomUUID()}`),
      name: "",
      json: "",
    };
    if (id) this.#given.set(call, id);
    this.#growing.push(call);
    return call;
  }

  /** The ids that the server used, where ours had to differ. */
  readonly #given = new Map<GrowingCall, string>();

  #isForeign(id: string, call: GrowingCall): boolean {
    return this.#given.get(call) !== id;
  }

  #unique(id: string): string {
    const unique = this.#taken.has(id) ? `call_${crypto.randomUUID()}` : id;
    this.#taken.add(unique);
    return unique;
  }

  #stop(): Stop {
    // Some servers end an answer with tool calls with "stop".
    if (this.#calls > 0 && this.#finish !== "length") return "tool_use";
    if (this.#refusal !== "") return "refusal";
    switch (this.#finish) {
      case "length":
        return "max_tokens";
      case "content_filter":
        return "refusal";
      default:
        return "end_turn";
    }
  }
}

function blockOf(growing: GrowingText | GrowingCall): AssistantBlock {
  if (growing.type === "text") return { type: "text", text: growing.text };
  const input = growing.json.trim() === "" ? {} : parseInput(growing.json);
  return { type: "tool_use", id: growing.id, name: growing.name, input };
}
