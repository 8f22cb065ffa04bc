/** What a run is asked to do. One job is done after another, and each has its own result. */

import { textOf, type UserBlock } from "../../protocol/block.ts";
import type { Command } from "../../protocol/command.ts";

export type Job = { command: Command; done?: () => void };

/** Jobs that wait for the one before them. Ends when it is closed and empty. */
export class JobQueue implements AsyncIterable<Job> {
  readonly #jobs: Job[] = [];
  #wake = (): void => {};
  #closed = false;

  get waiting(): readonly Job[] {
    return this.#jobs;
  }

  push(job: Job): void {
    if (!this.#closed) this.#jobs.push(job);
    this.#wake();
  }

  /** Accepts no more jobs. `drop`: waiting ones are dropped, too. */
  close({ drop = false } = {}): void {
    this.#closed = true;
    if (drop) this.#jobs.length = 0;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Job, void> {
    for (;;) {
      const job = this.#jobs.shift();
      if (job) yield job;
      else if (this.#closed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** What a message of the user asks for: `/compact` is a command, all else a prompt. */
export function commandOf(content: UserBlock[], uuid?: string): Command {
  const [command, focus] = /^\/compact(?:\s+(\S.*))?\s*$/s.exec(textOf(content)) ?? [];
  if (command === undefined) return { type: "prompt", content, ...(uuid && { uuid }) };
  return { type: "compact", how: "summarize", trigger: "command", ...(focus && { focus }) };
}
