/** Helpers for tests of model clients. */

import { afterEach } from "bun:test";
import type { ModelClient, ModelError } from "../../src/model/client.ts";
import type {
  AssistantBlock,
  Block,
  ToolInput,
  ToolResultBlock,
  ToolUseBlock,
} from "../../src/protocol/block.ts";
import type { Message, ModelEvent, ModelRequest } from "../../src/protocol/model.ts";

/** Sets variables of the environment for one test; for one test file. */
export function variables() {
  const before = new Map<string, string | undefined>();
  afterEach(() => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    before.clear();
  });
  return (name: string, value: string): void => {
    before.set(name, process.env[name]);
    process.env[name] = value;
  };
}

export const user = (...content: (string | Block)[]): Message => ({
  role: "user",
  content: content.map((block) =>
    typeof block === "string" ? { type: "text", text: block } : block,
  ),
});

export const said = (...content: AssistantBlock[]): Message => ({ role: "assistant", content });

/** A tool call. */
export const uses = (id: string, name: string, input: ToolInput = {}): ToolUseBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});

/** Its result. */
export const result = (id: string, ...texts: string[]): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: texts.map((text) => ({ type: "text", text })),
});

export const buildRequest = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "claude-sonnet-5-5",
  system: [{ type: "text", text: "Be good." }],
  tools: [],
  messages: [user("hi")],
  maxTokens: 1_000,
  thinking: "adaptive",
  dropStaleThinking: false,
  purpose: "turn",
  ...more,
});

export type Outcome = {
  events: ModelEvent[];
  blocks: AssistantBlock[];
  stop: Extract<ModelEvent, { type: "stop" }> | null;
  error: ModelError | null;
};

/** Everything that a call yields, and the error that it threw; one of another kind fails the test. */
export async function run(
  client: ModelClient,
  request: ModelRequest,
  options: { signal?: AbortSignal; on?: (event: ModelEvent) => void } = {},
): Promise<Outcome> {
  const events: ModelEvent[] = [];
  let error: ModelError | null = null;
  try {
    const signal = options.signal ?? new AbortController().signal;
    for await (const event of client.stream(request, signal)) {
      events.push(event);
      options.on?.(event);
    }
  } catch (thrown) {
    if (!isModelError(thrown)) throw thrown;
    error = thrown;
  }
  return {
    events,
    blocks: events.flatMap((event) => (event.type === "block" ? [event.block] : [])),
    stop: events.findLast((event) => event.type === "stop") ?? null,
    error,
  };
}

const isModelError = (thrown: unknown): thrown is ModelError =>
  thrown instanceof Error && thrown.name === "ModelError";

/** The joined text of the deltas of one kind. */
export const shown = (events: ModelEvent[], kind: "text" | "thinking" | "input"): string =>
  events
    .flatMap((event) => (event.type === "delta" && event.kind === kind ? [event.text] : []))
    .join("");

export type StreamEvent = { type: string; [field: string]: unknown };

/** Events as the body of a stream. */
export const toStream = (events: readonly StreamEvent[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** An answer that is a stream. */
export const streamed = (body: string | ReadableStream): Response =>
  new Response(body, { headers: { "content-type": "text/event-stream" } });

/** An answer of the Messages API that says "words". */
export const saysWords: readonly StreamEvent[] = [
  { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "words" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];
