import type { ModelClient } from "../model/client.ts";
import type { ModelError } from "../model/model-error.ts";
import type { Entry, EntryOf } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRequest, Usage } from "../protocol/model.ts";
import { PartialAnswer } from "./partial-answer.ts";
import { isoTime, type Clock } from "./clock.ts";
import { maxAttempts, retryDelayMs } from "./retry.ts";
import type { Session } from "./session.ts";

/** How a call ended: with an answer in the log, or with an error that another try does not mend. */
export type CallEnd =
  | { is: "answered"; entry: EntryOf<"assistant">; detail?: string }
  | { is: "stopped" }
  | { is: "failed"; error: ModelError };

const nothing: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/**
 * One call of the model, tried again while that can help. Everything received goes into the log:
 * a broken-off answer as "failed" (kept, not sent), an interrupted one as "interrupted".
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
    const sentAt = isoTime(clock);
    const base = { type: "assistant", model: request.model, sentAt } as const;
    try {
      yield { type: "phase", phase: "waiting" };
      for await (const event of model.stream(request, signal)) {
        if (event.type === "stop") {
          const { stop, usage, droppedThinking } = event;
          const entry = await session.append({
            ...base,
            content: answer.content,
            stop,
            usage,
            ...(droppedThinking ? { droppedThinking } : {}),
          });
          yield { type: "entry", entry };
          return {
            is: "answered",
            entry: asAnswer(entry),
            ...(event.detail && { detail: event.detail }),
          };
        }
        answer.add(event);
        if (event.type === "delta") yield event;
      }
      throw new Error("The model's stream ended without saying why it stopped.");
    } catch (caught) {
      const content = answer.content;
      if (signal.aborted) {
        yield await session.record({ ...base, content, stop: "interrupted", usage: nothing });
        return { is: "stopped" };
      }
      if (!isModelError(caught)) throw caught;
      if (content.length > 0) {
        yield await session.record({ ...base, content, stop: "failed", usage: nothing });
      }
      yield { type: "reset" };
      const mayHelp = caught.kind === "busy" || caught.kind === "stall";
      if (!mayHelp || attempt >= maxAttempts) return { is: "failed", error: caught };
      const waitMs = retryDelayMs(attempt, caught, clock.random());
      yield { type: "retry", attempt, of: maxAttempts, waitMs, reason: caught.message };
      await clock.sleep(waitMs, signal);
      if (signal.aborted) return { is: "stopped" };
    }
  }
}

/** The model room's class is known here by its shape only. */
export const isModelError = (error: unknown): error is ModelError =>
  error instanceof Error && error.name === "ModelError" && "kind" in error;

function asAnswer(entry: Entry): EntryOf<"assistant"> {
  if (entry.type !== "assistant") throw new Error(`Entry ${entry.id} is not an answer.`);
  return entry;
}
