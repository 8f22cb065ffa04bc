import type { Clock } from "../src/base/clock.ts";

/** A clock whose timers fire at once; `waits` collects their durations in milliseconds. */
export const instantClock = (
  now: () => number = () => Date.UTC(2026, 0, 2),
  waits: number[] = [],
): Clock => ({
  now,
  random: () => 0,
  after(ms, fire) {
    waits.push(ms);
    fire();
    return () => {};
  },
});
