import type { ModelClient } from "../model/client.ts";
import type { ModelError } from "../model/model-error.ts";
import { isoTime, type Clock } from "../protocol/clock.ts";
import type { Entry, EntryOf } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRequest, Usage } from "../protocol/model.ts";
import { PartialAnswer } from "./partial-answer.ts";
import { waitToRetry } from "./retry.ts";
import type { Session } from "./session.ts";

/** How a call ended: with an answer in the log, or with an error that a retry does not cure. */
export type CallEnd =
  | { is: "answered"; entry: EntryOf<"assistant">; detail?: string }
  | { is: "stopped" }
  | { is: "failed"; error: ModelError };

/** Attempts of one call before it fails. */
const maxAttempts = 8;

const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/**
 * One call of the model, retried while that can help. Everything received goes into the log:
 * a broken answer as "failed" (kept, not sent), an interrupted one as "interrupted".
 */
export async function* callModel(
  session: Session,
  model: ModelClient,
  request: ModelRequest,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, CallEnd> {
  for (let attempt = 1; ; attempt++) {
    const answer = new PartialAnswer();
    const base = { type: "assistant", model: request.model, sentAt: isoTime(clock) } as const;
    try {
      yield { type: "phase", phase: "waiting" };
      for await (const event of model.stream(request, signal)) {
        if (event.type === "stop") {
          const { stop, usage, detail, droppedThinking } = event;
          const entry = await session.append({
            ...base,
            content: answer.content,
            stop,
            usage,
            ...(droppedThinking ? { droppedThinking } : {}),
          });
          yield { type: "entry", entry };
          return { is: "answered", entry: asAnswer(entry), ...(detail && { detail }) };
        }
        answer.add(event);
        if (event.type === "delta") yield event;
      }
      throw new Error("The model's stream ended without saying why it stopped.");
    } catch (error) {
      const content = answer.content;
      if (signal.aborted) {
        yield await session.record({ ...base, content, stop: "interrupted", usage: noUsage });
        return { is: "stopped" };
      }
      if (!isModelError(error)) throw error;
      if (content.length > 0) {
        yield await session.record({ ...base, content, stop: "failed", usage: noUsage });
      }
      yield { type: "reset" };
      if (yield* waitToRetry(error, { attempt, of: maxAttempts, clock, signal })) continue;
      return signal.aborted ? { is: "stopped" } : { is: "failed", error };
    }
  }
}

/** The agent knows the class only by its type. */
export const isModelError = (error: unknown): error is ModelError =>
  error instanceof Error && error.name === "ModelError" && "kind" in error;

function asAnswer(entry: Entry): EntryOf<"assistant"> {
  if (entry.type !== "assistant") throw new Error(`Entry ${entry.id} is not an answer.`);
  return entry;
}
