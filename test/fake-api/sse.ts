/** An answer as server-sent events, in chunks that end anywhere. */

import type { Cut, Said } from "./answers.ts";
import type { Billed } from "./prompt-cache.ts";
import type { Written } from "./writer.ts";

export type Envelope = {
  id: string;
  model: string;
  usage: Billed & { iterations?: object[]; server_tool_use?: object };
  transformations: object[] | null;
};

type Event = { type: string; [key: string]: unknown };

export function toEvents(written: Written, said: Said, envelope: Envelope): Event[] {
  const events: Event[] = [
    {
      type: "message_start",
      message: { ...toMessage(written, envelope), content: [], stop_reason: null },
    },
    { type: "ping" },
  ];
  for (const [index, { block, json }] of written.blocks.entries())
    events.push(...blockEvents(block, json, index));
  events.push(
    {
      type: "message_delta",
      delta: {
        stop_reason: written.stop,
        stop_sequence: null,
        stop_details: said.stopDetails ?? null,
      },
      usage: { ...envelope.usage, output_tokens: written.outputTokens },
    },
    { type: "message_stop" },
  );
  return events;
}

/** The same as a single message, for requests that do not stream. */
export function toMessage(
  written: Written,
  { id, model, usage, transformations }: Envelope,
): Event {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: written.blocks.map(({ block }) => block),
    stop_reason: written.stop,
    stop_sequence: null,
    usage: { ...usage, output_tokens: written.outputTokens },
    ...(transformations !== null && { input_transformations: transformations }),
  };
}

function blockEvents(
  block: Written["blocks"][number]["block"],
  json: string,
  index: number,
): Event[] {
  const start = (content_block: object) => ({ type: "content_block_start", index, content_block });
  const delta = (delta: object) => ({ type: "content_block_delta", index, delta });
  const stop = { type: "content_block_stop", index };
  switch (block.type) {
    case "text":
      return [
        start({ type: "text", text: "" }),
        ...split(block.text).map((text) => delta({ type: "text_delta", text })),
        stop,
      ];
    case "thinking":
      return [
        start({ type: "thinking", thinking: "", signature: "" }),
        ...split(block.thinking).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: block.signature }),
        stop,
      ];
    case "tool_use":
      return [
        start({ ...block, input: {} }),
        delta({ type: "input_json_delta", partial_json: "" }),
        ...split(json).map((partial_json) => delta({ type: "input_json_delta", partial_json })),
        stop,
      ];
    case "compaction":
      return [
        start({ ...block, content: null }),
        delta({ type: "compaction_delta", content: block.content, encrypted_content: null }),
        stop,
      ];
    default:
      return [start(block), stop];
  }
}

/** Small deltas first, larger ones in a long text; no character is split. */
function split(text: string): string[] {
  const pieces = text.slice(0, 140).match(/[\s\S]{1,7}/gu) ?? [];
  const done = pieces.join("").length;
  return [...pieces, ...(text.slice(done).match(/[\s\S]{1,200}/gu) ?? [])];
}

const encode = (events: Event[]): Uint8Array =>
  new TextEncoder().encode(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
  );

/** `onStall` is called when a stream stops sending without ending. */
export function toStream(
  events: Event[],
  { cut, chunkBytes = 512 }: Said,
  onStall: () => void,
): ReadableStream<Uint8Array> {
  const sent = cut === undefined ? events : events.slice(0, cutAt(events, cut));
  const bytes = cut === undefined ? encode(sent) : Buffer.concat([encode(sent), ending(cut.by)]);
  let at = 0;
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
      // Yields, so that chunks arrive one by one as from a real network.
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (at < bytes.length) {
        controller.enqueue(bytes.subarray(at, at + chunkBytes));
        at += chunkBytes;
        return;
      }
      if (cut?.by === "stall") {
        onStall();
        // Neither data nor an end: the reader has to give up.
        return new Promise<void>(() => {});
      }
      if (cut?.by === "reset") controller.error(null);
      else controller.close();
    },
  };
  // Without a queue: a stream that breaks would lose its contents.
  return new ReadableStream(source, { highWaterMark: 0 });
}

function cutAt(events: Event[], { afterBlocks }: NonNullable<Said["cut"]>): number {
  let stops = 0;
  for (const [at, { type }] of events.entries()) {
    if (stops === afterBlocks && type === "content_block_delta") return at + 1;
    if (stops === afterBlocks && type === "message_delta") return at;
    if (type === "content_block_stop") stops += 1;
  }
  return events.length;
}

function ending(by: Cut): Uint8Array {
  if (typeof by === "object")
    return encode([{ type: "error", error: { type: by.error, message: "Overloaded" } }]);
  return new TextEncoder().encode(
    by === "garbage" ? 'event: content_block_delta\ndata: {"type": "content_bl\n\n' : "",
  );
}
