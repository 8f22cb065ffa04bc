/** `stream_event` messages: an answer as the API streams it, rebuilt from what the agent reports. */

import type { AssistantBlock } from "../../protocol/block.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Delta, Usage } from "../../protocol/model.ts";
import { answerOnWire, usageOnWire } from "./wire.ts";

/** `call`: the id of the tool call whose input it is. */
type Streamed = { call: string | null; text: string };

/**
 * One answer. What did not arrive in pieces is sent whole at the end. `usage`: of the call before,
 * because that of this one is known only at its end.
 */
export function streamEvents(
  id: string,
  model: string,
  usage: Usage,
  emit: (event: object) => void,
) {
  const streamed: Streamed[] = [];
  let open: number | null = null;
  let blocks = 0;
  let isStarted = false;
  /** Indexes of blocks that did not grow. */
  let nextWhole = -1;

  function delta({ index, kind, text, call }: Delta): void {
    const start = kind === "input" ? call && { type: "tool_use", ...call, input: {} } : empty[kind];
    if (!start) return;
    if (open !== index) {
      begin(start);
      open = index;
      streamed.push({ call: call?.id ?? null, text: "" });
    }
    const last = streamed.at(-1);
    if (last) last.text += text;
    emit({ type: "content_block_delta", index: blocks - 1, delta: deltaOf(kind, text) });
  }

  /** The complete answer: whatever has not been streamed yet, and the end. */
  function end({ content, usage: used, stop }: EntryOf<"assistant">): void {
    for (const block of content) if (!wasStreamed(block)) whole(block);
    stopBlock();
    startMessage();
    emit({
      type: "message_delta",
      delta: { stop_reason: stop, stop_sequence: null },
      usage: usageOnWire(used),
    });
    emit({ type: "message_stop" });
  }

  function wasStreamed(block: AssistantBlock): boolean {
    if (block.type === "tool_use") return streamed.some(({ call }) => call === block.id);
    const text =
      block.type === "text" ? block.text : block.type === "thinking" ? block.thinking : "";
    return text === "" || streamed.some((one) => one.text === text);
  }

  function whole(block: AssistantBlock): void {
    const index = nextWhole--;
    if (block.type === "text") delta({ type: "delta", index, kind: "text", text: block.text });
    if (block.type !== "tool_use") return;
    const { id: call, name, input } = block;
    const text = JSON.stringify(input);
    delta({ type: "delta", index, kind: "input", text, call: { id: call, name } });
  }

  function begin(block: object): void {
    startMessage();
    stopBlock();
    emit({ type: "content_block_start", index: blocks++, content_block: block });
  }

  function stopBlock(): void {
    if (open !== null) emit({ type: "content_block_stop", index: blocks - 1 });
    open = null;
  }

  function startMessage(): void {
    const message = answerOnWire(id, model, [], { ...usage, output: 0 });
    if (!isStarted) emit({ type: "message_start", message });
    isStarted = true;
  }

  return { delta, end };
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
