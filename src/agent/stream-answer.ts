import type { ModelClient } from "../model/client.ts";
import type { ModelError } from "../model/model-error.ts";
import { messageOf } from "../base/in-words.ts";
import type { ModelEvent, ModelRequest } from "../protocol/model.ts";
import type { PartialAnswer } from "./partial-answer.ts";

type ModelDelta = Extract<ModelEvent, { type: "delta" }>;

/** What matters about a failed call. */
export type CallError = Pick<ModelError, "kind" | "message" | "retryAfterMs" | "sizes" | "status">;

export type StreamEnd = { stop: Extract<ModelEvent, { type: "stop" }> } | { error: CallError };

/**
 * One call: adds what arrives to `answer` and yields its deltas. Returns errors, those of `build`
 * too, and never throws.
 */
export async function* streamAnswer(
  model: ModelClient,
  build: () => ModelRequest,
  answer: PartialAnswer,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta, StreamEnd> {
  try {
    for await (const event of model.stream(build(), signal)) {
      if (event.type === "stop") return { stop: event };
      answer.add(event);
      if (event.type === "delta") yield event;
    }
    return { error: { kind: "busy", message: "The model's answer ended early; try again." } };
  } catch (error) {
    if (isModelError(error)) return { error };
    return { error: { kind: "invalid", message: messageOf(error) } };
  }
}

/** The agent knows the class only by its type. */
export const isModelError = (error: unknown): error is ModelError =>
  error instanceof Error && error.name === "ModelError" && "kind" in error;
