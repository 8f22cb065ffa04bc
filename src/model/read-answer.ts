/** Reads a streamed answer, for all APIs. */

import type { ModelEvent } from "../protocol/model.ts";
import { isLast, notAnAnswer, parsePart, readEventStream } from "./event-stream.ts";
import { interrupted, malformed, ModelError, type CallContext } from "./failures.ts";
import { lingerMs, type Watchdog } from "./watchdog.ts";

/** Accumulates a streamed answer. */
export type GrowingAnswer = {
  /** Takes an event; null: not one of this API. */
  take(raw: unknown): Iterable<ModelEvent> | "ping" | null;
  /** The stream has ended; some servers send no finish reason. */
  ended(): void;
  /** The last event of this API has arrived. */
  isEnded(): boolean;
  /** A finish reason has arrived, or the stream ended regularly with some content. */
  isComplete(): boolean;
  /** The finish reason and the usage have arrived. */
  hasUsage(): boolean;
  /** The server reports that it could not finish. */
  hasFailed(): boolean;
  /** The remaining blocks and the stop, after the end of the stream. */
  end(): Iterable<ModelEvent>;
};

/** Maximum wait for the usage after a complete answer. */
const usagePatienceMs = 5_000;

/** `api`: its name. Throws `ModelError`, or what `watchdog` was aborted with. */
export async function* readAnswer(
  { body }: Response,
  answer: GrowingAnswer,
  { watchdog, context, api }: { watchdog: Watchdog; context: CallContext; api: string },
): AsyncGenerator<ModelEvent, void> {
  let isDone = false;
  try {
    for await (const part of readEventStream(body)) {
      isDone ||= isLast(part) || answer.isEnded();
      if (isDone) answer.ended();
      else {
        const events = answer.take(parsePart(part, context, api));
        if (events === null && part.is === "document") throw notAnAnswer(part.text, context, api);
        if (events === null)
          throw malformed(`sent an event that is not part of the ${api}`, context);
        if (events === "ping") continue;
        watchdog.progressed();
        yield* events;
      }
      if (isDone || answer.isComplete())
        watchdog.linger(isDone || answer.hasUsage() ? lingerMs : usagePatienceMs);
    }
  } catch (error) {
    // Missing usage alone is not an error.
    const isOver = isDone || answer.isComplete();
    if (watchdog.signal.aborted || !isOver || error instanceof ModelError) throw error;
  }
  watchdog.signal.throwIfAborted();
  if (answer.hasFailed()) throw interrupted("it reported an error", context);
  if (!answer.isComplete()) throw interrupted("connection lost", context);
  yield* answer.end();
}
