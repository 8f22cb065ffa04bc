/** Time, so that tests can hold it in their hands. Milliseconds. */
export interface Clock {
  now(): number;
  /** Calls `fire` once after `ms`; the result takes that back. */
  after(ms: number, fire: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};
