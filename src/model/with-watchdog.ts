import type { ModelEvent } from "../protocol/model.ts";
import type { Clock } from "../protocol/clock.ts";
import type { ModelError } from "./model-error.ts";
import { stalled, stopped, type CallContext } from "./failures.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

type WatchedCall = {
  answer(watchdog: Watchdog): AsyncGenerator<ModelEvent, void>;
  /** The caller's. */
  signal: AbortSignal;
  stallMs: number;
  clock: Clock;
  context: CallContext;
  /** Translates what the provider's SDK throws. */
  toModelError(error: unknown, context: CallContext): Promise<ModelError> | ModelError;
};

/** Runs a call under a watchdog. Throws only `ModelError`. */
export async function* withWatchdog(call: WatchedCall): AsyncGenerator<ModelEvent, void> {
  const { answer, signal, stallMs, clock, context, toModelError } = call;
  const watchdog = startWatchdog(signal, stallMs, clock);
  try {
    yield* answer(watchdog);
  } catch (error) {
    if (signal.aborted) throw stopped(error);
    if (watchdog.stalledMs !== null) throw stalled(watchdog.stalledMs, context, error);
    throw await toModelError(error, context);
  } finally {
    watchdog.end();
  }
}
