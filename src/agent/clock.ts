/** Time and chance, injected so that a replay or a test decides what they are. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds, or at once when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** At least 0, below 1. */
  random(): number;
};

export const isoTime = (clock: Clock): string => new Date(clock.now()).toISOString();
