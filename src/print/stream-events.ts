/** `stream_event` messages: an answer as the API streams it, rebuilt from what the agent reports. */

import type { AssistantBlock } from "../protocol/block.ts";
import type { EntryOf } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Usage } from "../protocol/model.ts";
import { usageOnWire } from "./wire.ts";

type Delta = Extract<AgentEvent, { type: "delta" }>;
type Streamed = { kind: Delta["kind"]; text: string };

/** One answer. Text and thinking arrive in pieces; the input of a tool call arrives whole. */
export class StreamEvents {
  readonly #emit: (event: object) => void;
  readonly #start: object;
  readonly #streamed: Streamed[] = [];
  #open: number | null = null;
  #blocks = 0;
  #isStarted = false;

  /** `usage`: of the call before, because that of this one is known only at its end. */
  constructor(id: string, model: string, usage: Usage, emit: (event: object) => void) {
    this.#emit = emit;
    this.#start = {
      id,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOnWire({ ...usage, output: 0 }),
    };
  }

  delta({ index, kind, text }: Delta): void {
    if (kind === "input") return;
    if (this.#open !== index) {
      this.#begin(kind === "text" ? { type: "text", text: "" } : emptyThinking);
      this.#open = index;
      this.#streamed.push({ kind, text: "" });
    }
    const streamed = this.#streamed.at(-1);
    if (streamed) streamed.text += text;
    this.#emit({
      type: "content_block_delta",
      index: this.#blocks - 1,
      delta:
        kind === "text" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text },
    });
  }

  /** The complete answer: whatever has not been streamed yet, and the end. */
  end({ content, usage, stop }: EntryOf<"assistant">): void {
    for (const block of content) if (!this.#wasStreamed(block)) this.#whole(block);
    this.#stopBlock();
    this.#startMessage();
    this.#emit({
      type: "message_delta",
      delta: { stop_reason: stop, stop_sequence: null },
      usage: usageOnWire(usage),
    });
    this.#emit({ type: "message_stop" });
  }

  #wasStreamed(block: AssistantBlock): boolean {
    const text =
      block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : null;
    return text === "" || this.#streamed.some((streamed) => streamed.text === text);
  }

  #whole(block: AssistantBlock): void {
    if (block.type === "text")
      this.delta({ type: "delta", index: -1, kind: "text", text: block.text });
    if (block.type !== "tool_use") return;
    this.#begin({ ...block, input: {} });
    this.#emit({
      type: "content_block_delta",
      index: this.#blocks - 1,
      delta: { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
    });
  }

  #begin(block: object): void {
    this.#startMessage();
    this.#stopBlock();
    this.#emit({ type: "content_block_start", index: this.#blocks++, content_block: block });
    this.#open = -2;
  }

  #stopBlock(): void {
    if (this.#open !== null) this.#emit({ type: "content_block_stop", index: this.#blocks - 1 });
    this.#open = null;
  }

  #startMessage(): void {
    if (!this.#isStarted) this.#emit({ type: "message_start", message: this.#start });
    this.#isStarted = true;
  }
}

const emptyThinking = { type: "thinking", thinking: "", signature: "" };
