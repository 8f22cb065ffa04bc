/** Time and randomness, injected so that tests control them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** At least 0, below 1. */
  random(): number;
  /** Calls `fire` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, fire: () => void): () => void;
}

/** A step back by less than this is a correction of the clock, in milliseconds. */
const correctionMs = 1_000;

/**
 * Milliseconds since the epoch that never run backwards while the program runs, even when the
 * computer's clock is set back: otherwise ages would be negative, and what is due in a second would
 * be due in a year. A clock that is set forward is followed at once; that looks the same as waking
 * up.
 */
export function steadyTime(wall: () => number, elapsed: () => number): () => number {
  let aheadMs = 0;
  let last = { atMs: wall(), elapsedMs: elapsed() };
  return () => {
    const elapsedMs = elapsed();
    const expectedMs = last.atMs + elapsedMs - last.elapsedMs;
    const missingMs = Math.round(expectedMs - (wall() + aheadMs));
    if (missingMs > correctionMs) aheadMs += missingMs;
    last = { atMs: Math.max(last.atMs, wall() + aheadMs), elapsedMs };
    return last.atMs;
  };
}

export const systemClock: Clock = {
  now: steadyTime(
    () => Date.now(),
    () => performance.now(),
  ),
  random: () => Math.random(),
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` milliseconds, or as soon as the signal fires. */
export function sleep(clock: Pick<Clock, "after">, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    signal.addEventListener("abort", done);
    let cancel = (): void => {};
    cancel = clock.after(ms, done);
  });
}

export const isoTime = (clock: Pick<Clock, "now">): string => new Date(clock.now()).toISOString();
