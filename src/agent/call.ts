import type { ModelClient } from "../model/client.ts";
import { isoTime, type Clock } from "../base/clock.ts";
import type { Entry, EntryOf } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { noUsage, type ModelRequest } from "../protocol/model.ts";
import { PartialAnswer } from "./partial-answer.ts";
import { nameSamePlace, waitToRetry } from "./retry.ts";
import type { Session } from "./session.ts";
import { streamAnswer, type CallError } from "./stream-answer.ts";

/** How a call ended: with an answer in the log, or with an error that a retry would not fix. */
type CallEnd =
  | { is: "answered"; entry: EntryOf<"assistant">; detail: string | undefined }
  | { is: "stopped" }
  | { is: "failed"; error: CallError };

/** Attempts of one call before it fails. */
export const maxAttempts = 8;

/**
 * One model call, retried while that can help. Everything received goes into the log: an answer
 * that failed as "failed" (kept, not sent), one that was stopped as "interrupted".
 */
export async function* callModel(
  session: Session,
  model: ModelClient,
  request: ModelRequest,
  { clock, signal, of }: { clock: Clock; signal: AbortSignal; of: number },
): AsyncGenerator<AgentEvent, CallEnd> {
  const breaks: number[] = [];
  for (let attempt = 1; ; attempt++) {
    const answer = new PartialAnswer();
    const base = { type: "assistant", model: request.model, sentAt: isoTime(clock) } as const;
    yield { type: "phase", phase: "waiting" };
    const end = yield* streamAnswer(model, () => request, answer, signal);
    const { content } = answer;
    if ("stop" in end) {
      const { stop, usage, detail, droppedThinking } = end.stop;
      const dropped = droppedThinking ? { droppedThinking } : {};
      const entry = await session.append({ ...base, content, stop, usage, ...dropped });
      session.hasAnswer = true;
      yield { type: "entry", entry };
      return { is: "answered", entry: asAnswer(entry), detail };
    }
    const billed = answer.usage(session.rules);
    const usage = billed ?? noUsage;
    if (signal.aborted) {
      yield await session.record({ ...base, content, stop: "interrupted", usage });
      return { is: "stopped" };
    }
    if (content.length > 0 || billed)
      yield await session.record({ ...base, content, stop: "failed", usage });
    yield { type: "reset" };
    const error = nameSamePlace(end.error, breaks, answer.chars);
    if (yield* waitToRetry(error, { attempt, of, clock, signal, hasAnswered: session.hasAnswer }))
      continue;
    return signal.aborted ? { is: "stopped" } : { is: "failed", error };
  }
}

function asAnswer(entry: Entry): EntryOf<"assistant"> {
  if (entry.type !== "assistant") throw new Error(`Entry ${entry.id} is not an answer.`);
  return entry;
}
