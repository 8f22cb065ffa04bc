/**
 * Ends a call that has gone silent. Any bytes count as a sign of life, even the server's pings, but a
 * stream of pings alone is ended too, after `pingFactor` times as long.
 */

import type { Clock } from "../protocol/clock.ts";

const pingFactor = 5;

export type Watchdog = {
  /** Aborted by the caller's signal or by the watchdog. */
  readonly signal: AbortSignal;
  /** Milliseconds of silence, when that is why the signal was aborted; else null. */
  readonly stalledMs: number | null;
  /** Bytes arrived. */
  alive(): void;
  /** An event of the answer arrived. */
  progressed(): void;
  /** Stops watching and aborts the call if it is still open. */
  end(): void;
};

/** `silentMs`: milliseconds without a byte after which the call is ended. */
export function startWatchdog(signal: AbortSignal, silentMs: number, clock: Clock): Watchdog {
  const controller = new AbortController();
  let stalledMs: number | null = null;
  const timer = (ms: number) => {
    const fire = () => {
      stalledMs = ms;
      controller.abort();
    };
    let cancel = clock.after(ms, fire);
    return {
      restart: () => {
        cancel();
        cancel = clock.after(ms, fire);
      },
      cancel: () => cancel(),
    };
  };
  const silence = timer(silentMs);
  const idleness = timer(silentMs * pingFactor);
  const abort = () => controller.abort();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    get stalledMs() {
      return stalledMs;
    },
    alive: () => silence.restart(),
    progressed() {
      silence.restart();
      idleness.restart();
    },
    end() {
      silence.cancel();
      idleness.cancel();
      signal.removeEventListener("abort", abort);
      controller.abort();
    },
  };
}
