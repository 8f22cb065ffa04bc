/** A clock that only the test advances. Milliseconds. */

import type { Clock } from "../../src/base/clock.ts";

export class FakeClock implements Clock {
  #now: number;
  #timers: { at: number; fire: () => void }[] = [];

  constructor(now = Date.UTC(2026, 10, 20, 12)) {
    this.#now = now;
  }

  /** Bound, so that it can be passed as a function. */
  readonly now = (): number => this.#now;

  readonly random = (): number => 0;

  after(ms: number, fire: () => void): () => void {
    const timer = { at: this.#now + ms, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Fires the timers that are due, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = due.at;
      due.fire();
    }
    this.#now = end;
  }

  get waiting(): number {
    return this.#timers.length;
  }
}
