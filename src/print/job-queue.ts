import type { Job } from "./shape.ts";

/** Jobs that wait for the one before them. Ends when it is closed and empty. */
export class JobQueue implements AsyncIterable<Job> {
  readonly #jobs: Job[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  get waiting(): readonly Job[] {
    return this.#jobs;
  }

  push(job: Job): void {
    if (!this.#closed) this.#jobs.push(job);
    this.#wake?.();
  }

  /** Accepts no more jobs. `drop`: waiting ones are dropped, too. */
  close({ drop = false } = {}): void {
    this.#closed = true;
    if (drop) this.#jobs.length = 0;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Job, void> {
    for (;;) {
      const job = this.#jobs.shift();
      if (job) yield job;
      else if (this.#closed) return;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
        this.#wake = null;
      }
    }
  }
}
