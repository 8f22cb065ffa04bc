/** `stream_event` messages: an answer as the API streams it, rebuilt from what the agent reports. */

import type { AssistantBlock } from "../protocol/block.ts";
import type { EntryOf } from "../protocol/entry.ts";
import type { Delta, Usage } from "../protocol/model.ts";
import { usageOnWire } from "./wire.ts";

/** `call`: the id of the tool call whose input it is. */
type Streamed = { call: string | null; text: string };

/** One answer. What did not arrive in pieces is sent whole at the end. */
export class StreamEvents {
  readonly #emit: (event: object) => void;
  readonly #start: object;
  readonly #streamed: Streamed[] = [];
  #open: number | null = null;
  #blocks = 0;
  #isStarted = false;
  /** Indexes of blocks that did not grow. */
  #nextWhole = -1;

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

  delta({ index, kind, text, call }: Delta): void {
    const start = kind === "input" ? call && { type: "tool_use", ...call, input: {} } : empty[kind];
    if (!start) return;
    if (this.#open !== index) {
      this.#begin(start);
      this.#open = index;
      this.#streamed.push({ call: call?.id ?? null, text: "" });
    }
    const streamed = this.#streamed.at(-1);
    if (streamed) streamed.text += text;
    this.#emit({
      type: "content_block_delta",
      index: this.#blocks - 1,
      delta: deltaOf(kind, text),
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
    if (block.type === "tool_use") return this.#streamed.some(({ call }) => call === block.id);
    const text =
      block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : "";
    return text === "" || this.#streamed.some((streamed) => streamed.text === text);
  }

  #whole(block: AssistantBlock): void {
    const index = this.#nextWhole--;
    if (block.type === "text") this.delta({ type: "delta", index, kind: "text", text: block.text });
    if (block.type !== "tool_use") return;
    const { id, name, input } = block;
    const text = JSON.stringify(input);
    this.delta({ type: "delta", index, kind: "input", text, call: { id, name } });
  }

  #begin(block: object): void {
    this.#startMessage();
    this.#stopBlock();
    this.#emit({ type: "content_block_start", index: this.#blocks++, content_block: block });
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

const empty = {
  text: { type: "text", text: "" },
  thinking: { type: "thinking", thinking: "", signature: "" },
};

function deltaOf(kind: Delta["kind"], text: string): object {
  switch (kind) {
    case "text":
      return { type: "text_delta", text };
    case "thinking":
      return { type: "thinking_delta", thinking: text };
    case "input":
      return { type: "input_json_delta", partial_json: text };
  }
}
