/** Helpers for tests of model clients. */

import { type ModelClient, ModelError } from "../../src/model/client.ts";
import type { AssistantBlock, UserBlock } from "../../src/protocol/block.ts";
import type { Message, ModelEvent, ModelRequest } from "../../src/protocol/model.ts";

export const user = (...content: (string | UserBlock)[]): Message => ({
  role: "user",
  content: content.map((block) =>
    typeof block === "string" ? { type: "text", text: block } : block,
  ),
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

/**
 * Everything that a call yields, and the error that it threw. Errors other than `ModelError` fail
 * the test.
 */
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
    if (!(thrown instanceof ModelError)) throw thrown;
    error = thrown;
  }
  return {
    events,
    blocks: events.flatMap((event) => (event.type === "block" ? [event.block] : [])),
    stop: events.findLast((event) => event.type === "stop") ?? null,
    error,
  };
}

/** The joined text of the deltas of one kind. */
export const shown = (events: ModelEvent[], kind: "text" | "thinking" | "input"): string =>
  events
    .flatMap((event) => (event.type === "delta" && event.kind === kind ? [event.text] : []))
    .join("");
