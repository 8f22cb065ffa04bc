import type { ModelEvent } from "../protocol/model.ts";
import type { Clock } from "./clock.ts";
import type { ModelError } from "./model-error.ts";
import { stalled, stopped, type CallContext } from "./failures.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

export type WatchedCall = {
  answer(dog: Watchdog): AsyncGenerator<ModelEvent, void>;
  /** The caller's own. */
  signal: AbortSignal;
  stallMs: number;
  clock: Clock;
  where: CallContext;
  /** From what the provider's SDK throws. */
  toModelError(error: unknown, where: CallContext): Promise<ModelError> | ModelError;
};

/** An answer under the eye of a watchdog. Throws `ModelError` and nothing else. */
export async function* withWatchdog(call: WatchedCall): AsyncGenerator<ModelEvent, void> {
  const { answer, signal, stallMs, clock, where, toModelError } = call;
  const dog = startWatchdog(signal, stallMs, clock);
  try {
    yield* answer(dog);
  } catch (error) {
    if (signal.aborted) throw stopped(error);
    if (dog.stalledMs !== null) throw stalled(dog.stalledMs, where, error);
    throw await toModelError(error, where);
  } finally {
    dog.end();
  }
}
