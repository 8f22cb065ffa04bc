/** Rebuilds an answer from the API's stream: every block exactly as it will be sent back. */

import { isRecord, isTooDeep, parseJson } from "../../base/guards.ts";
import { unreadableInputKey, type AssistantBlock, type ToolInput } from "../../protocol/block.ts";
import {
  modelStops,
  type Delta,
  type ModelEvent,
  type Stop,
  type Usage,
} from "../../protocol/model.ts";
import type { ApiBlock, ApiDelta, ApiEvent, ApiUsage } from "./events.ts";

type GrowingBlock = { block: ApiBlock; json: string };

export class AnswerReader {
  readonly #growing = new Map<number, GrowingBlock>();
  #usage: ApiUsage = {};
  #stop: Stop = "end_turn";
  #detail: string | undefined;
  #dropped = 0;
  /** `message_stop` arrived: the answer is complete. */
  complete = false;

  /** Reads one event of the API. Returns what it adds to the answer, or null. */
  read(event: ApiEvent): ModelEvent | null {
    switch (event.type) {
      case "message_start":
        this.#usage = event.message.usage;
        this.#noteDropped(event.message.input_transformations);
        return { type: "usage", usage: toUsage(this.#usage) };
      case "content_block_start":
        if (event.content_block.type !== "other")
          this.#growing.set(event.index, { block: event.content_block, json: "" });
        return null;
      case "content_block_delta": {
        const growing = this.#growing.get(event.index);
        if (growing === undefined || event.delta.type === "other") return null;
        const shown = grow(growing, event.delta);
        return shown && { type: "delta", index: event.index, ...shown };
      }
      case "content_block_stop": {
        const growing = this.#growing.get(event.index);
        if (growing === undefined) return null;
        this.#growing.delete(event.index);
        return { type: "block", index: event.index, block: finish(growing) };
      }
      case "message_delta":
        this.#usage = merge(this.#usage, event.usage ?? {});
        this.#noteDropped(event.input_transformations);
        this.#noteStop(event.delta);
        return null;
      case "message_stop":
        this.complete = true;
        return {
          type: "stop",
          stop: this.#stop,
          usage: toUsage(this.#usage),
          ...(this.#detail !== undefined && { detail: this.#detail }),
          ...(this.#dropped > 0 && { droppedThinking: this.#dropped }),
        };
      case "other":
        return null;
    }
  }

  #noteStop({ stop_reason, stop_details }: DeltaOf<"message_delta">): void {
    const stop = modelStops.find((name) => name === stop_reason);
    if (stop !== undefined) this.#stop = stop;
    else if (stop_reason != null) this.#detail = `the server stopped with "${stop_reason}"`;
    const detail = stop_details?.explanation ?? stop_details?.category;
    if (detail != null) this.#detail = detail;
  }

  #noteDropped(list: { type: string }[] | null | undefined): void {
    if (list != null) this.#dropped = list.filter(({ type }) => type === "thinking_dropped").length;
  }
}

type DeltaOf<T> = Extract<ApiEvent, { type: T; delta: unknown }>["delta"];
type ShownDelta = Pick<Delta, "kind" | "text" | "call">;

/** Adds a delta to its block; returns what may be shown of it. */
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
