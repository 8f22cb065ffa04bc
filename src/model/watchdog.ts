/**
 * Ends a call that went silent. Bytes of any kind (the server's pings) count as life, but a stream
 * that only pings is given up too, after `pingsFor` times as long.
 */

import type { Clock } from "./clock.ts";

const pingsFor = 5;

export type Watchdog = {
  /** Aborted by the caller's own signal or by the watchdog. */
  readonly signal: AbortSignal;
  /** How long nothing came, when that is why the signal is aborted; ms. */
  readonly stalledMs: number | null;
  /** Some bytes came. */
  alive(): void;
  /** An event of the answer came. */
  progressed(): void;
  /** Stops watching and aborts what is still open. */
  end(): void;
};

/** `silentMs`: after how long without a byte. `signal`: the caller's own. */
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
  const idleness = timer(silentMs * pingsFor);
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
