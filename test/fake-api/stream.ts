/** An answer as server-sent events, in small pieces, and the ways in which a stream can break. */

import type { WireBlock } from "./wire.ts";
import type { Bill } from "./cache.ts";

export type Answer = {
  blocks: WireBlock[];
  stop?: string;
  /** After so many events the stream breaks: an error event, silence, or the connection's end. */
  breaks?: { after: number; how: "overloaded" | "silence" | "end" };
  outputTokens?: number;
};

const line = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

export function eventsOf(answer: Answer, bill: Bill, model: string, dropped: number): string[] {
  const usage = { ...bill, output_tokens: 1 };
  const start = {
    id: "msg_fake",
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const events = [line("message_start", { message: start }), line("ping", {})];
  for (const [index, block] of answer.blocks.entries()) events.push(...blockEvents(index, block));
  const stop =
    answer.stop ??
    (answer.blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn");
  const output = answer.outputTokens ?? Math.ceil(JSON.stringify(answer.blocks).length / 3);
  const transformed = Array.from({ length: dropped }, () => ({ type: "thinking_dropped" }));
  events.push(
    line("message_delta", {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: output },
      ...(dropped > 0 ? { input_transformations: transformed } : {}),
    }),
    line("message_stop", {}),
  );
  return events;
}

function blockEvents(index: number, block: WireBlock): string[] {
  const start = (content_block: object): string =>
    line("content_block_start", { index, content_block });
  const delta = (one: object): string => line("content_block_delta", { index, delta: one });
  const stop = line("content_block_stop", { index });
  switch (block.type) {
    case "text":
      return [
        start({ type: "text", text: "" }),
        ...pieces(block.text ?? "").map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...pieces(block.thinking ?? "").map((thinking) =>
          delta({ type: "thinking_delta", thinking }),
        ),
        delta({ type: "signature_delta", signature: block.signature }),
        stop,
      ];
    case "tool_use":
      return [
        start({ type: "tool_use", id: block.id, name: block.name, input: {} }),
        ...pieces(JSON.stringify(block["input"])).map((partial_json) =>
          delta({ type: "input_json_delta", partial_json }),
        ),
        stop,
      ];
    default:
      return [start(block), stop];
  }
}

const pieces = (text: string): string[] => text.match(/[\s\S]{1,7}/g) ?? [];
