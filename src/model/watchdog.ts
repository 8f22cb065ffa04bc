/**
 * Ends a call that has gone silent. Any bytes count as a sign of life, even the server's pings, but a
 * stream of pings alone is ended too, after `pingFactor` times as long.
 */

import type { Clock } from "../base/clock.ts";
import type { ModelEvent, ModelRequest } from "../protocol/model.ts";
import type { ModelClient, ModelError } from "./client.ts";
import { stalled, stopped, type CallContext } from "./failures.ts";

const pingFactor = 5;

/**
 * How long to wait for the end of a stream after the answer is complete, in milliseconds. It
 * arrives with the answer or a moment later; a connection that is closed earlier cannot be used for
 * the next call.
 */
export const lingerMs = 100;

export type Watchdog = ReturnType<typeof startWatchdog>;

/** `silentMs`: milliseconds without a byte after which the call is ended. */
function startWatchdog(signal: AbortSignal, silentMs: number, clock: Clock) {
  const controller = new AbortController();
  const rest = new AbortController();
  let stalledMs: number | null = null;
  const abortAfter = (ms: number) =>
    quietTimer(clock, ms, () => {
      stalledMs = ms;
      controller.abort();
    });
  const silence = abortAfter(silentMs);
  const idleness = abortAfter(silentMs * pingFactor);
  let stopLingering = (): void => {};
  const ended = AbortSignal.any([signal, controller.signal]);
  return {
    /** Aborted by the caller's signal or by the watchdog. */
    signal: ended,
    /** Signal for the request, also aborted if the stream stays open after a complete answer. */
    request: AbortSignal.any([ended, rest.signal]),
    /** Milliseconds of silence, when that is why the signal was aborted; else null. */
    get stalledMs(): number | null {
      return stalledMs;
    },
    /** Bytes arrived. */
    alive: silence.heard,
    /** An event of the answer arrived. */
    progressed(): void {
      silence.heard();
      idleness.heard();
    },
    /** The answer is complete: limits the wait for the end of the stream. */
    linger(ms: number): void {
      stopLingering();
      stopLingering = clock.after(ms, () => rest.abort());
    },
    /** Stops watching and aborts the call if it is still open. */
    end(): void {
      silence.stop();
      idleness.stop();
      stopLingering();
      controller.abort();
    },
  };
}

/**
 * Fires after `ms` milliseconds of silence. One timer, rearmed only when it fires: a timer per token takes a
 * thirtieth of a stream's CPU time.
 */
function quietTimer(clock: Clock, ms: number, fire: () => void) {
  let heardMs = clock.now();
  let stop = (): void => {};
  function wait(forMs: number): void {
    const fromMs = heardMs;
    stop = clock.after(forMs, () => {
      if (heardMs === fromMs) return fire();
      // The clock advances while the computer sleeps: restart the full period.
      const leftMs = heardMs + ms - clock.now();
      wait(leftMs > 0 ? leftMs : ms);
    });
  }
  wait(ms);
  return {
    heard: (): void => void (heardMs = clock.now()),
    stop: (): void => stop(),
  };
}

type WatchedCall = {
  answer(
    request: ModelRequest,
    watchdog: Watchdog,
    context: CallContext,
  ): AsyncGenerator<ModelEvent, void>;
  stallMs: number;
  clock: Clock;
  describeCall(model: string): CallContext;
  /** Translates what the provider's SDK throws. */
  toModelError(error: unknown, context: CallContext): Promise<ModelError>;
};

/** Runs calls under a watchdog. They throw only `ModelError`. */
export const watchedStream = (calls: WatchedCall): ModelClient["stream"] =>
  async function* stream(request, signal) {
    const context = calls.describeCall(request.model);
    const watchdog = startWatchdog(signal, calls.stallMs, calls.clock);
    try {
      yield* calls.answer(request, watchdog, context);
    } catch (error) {
      if (signal.aborted) throw stopped(error);
      if (watchdog.stalledMs !== null) throw stalled(watchdog.stalledMs, context, error);
      throw await calls.toModelError(error, context);
    } finally {
      watchdog.end();
    }
  };
