/** `mini-claude -p`: runs jobs in order and prints their events. */

import { type UserBlock, blockText } from "../../protocol/block.ts";
import type { AgentCommand } from "../../protocol/command.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { AgentEvent, TurnEnd } from "../../protocol/event.ts";
import type { RunStats, Shape, TurnReport } from "./run-stats.ts";

export type PrintOptions = {
  /** Events of the agent. Questions are answered elsewhere. */
  events: AsyncGenerator<AgentEvent, void>;
  send(command: AgentCommand): void;
  jobs: AsyncIterable<Job>;
  shape: Shape;
  stats: RunStats;
  /** Called after each finished turn: a reminder of the missing result, or a final failure; null: complete. */
  missing?: ((report: TurnReport) => Missing | null) | undefined;
  /** Resolves when the run must end, even if work is in progress. */
  leaving?: Promise<void>;
};

type Missing = { content: UserBlock[] } | TurnEnd;

/**
 * Returns the exit code of the last turn. The agent also begins turns by itself, when a task in the
 * background has ended; each has its own result. Subagents are waited for after the last job.
 */
export async function printRun(options: PrintOptions): Promise<number> {
  const { send, shape, stats, missing } = options;
  const events = peekable(options.events);
  const jobs = peekable(options.jobs[Symbol.asyncIterator]());
  let code = 0;
  /** Subagents in the background that have not reported. */
  let working = 0;

  async function report(event: AgentEvent): Promise<void> {
    if (event.type === "entry") working += countStarted(event.entry);
    await stats.add(event);
    shape.event(event);
  }

  async function untilIdle(): Promise<TurnEnd> {
    for (;;) {
      const { value: event, done } = await events.next();
      if (done) return { why: "failed" };
      if (event.type === "idle") return event;
      await report(event);
    }
  }

  async function turn(command: AgentCommand | null): Promise<void> {
    // Other commands only affect later jobs.
    const isTurn = command === null || command.type === "prompt" || command.type === "compact";
    stats.begin();
    if (isTurn) shape.begin?.(command);
    if (command !== null) send(command);
    for (;;) {
      const ended = stats.end(await untilIdle());
      const more = isTurn && ended.end.why === "done" ? (missing?.(ended) ?? null) : null;
      if (more && "content" in more) {
        send({ type: "prompt", content: more.content });
        continue;
      }
      const end = more ?? ended.end;
      if (isTurn) shape.end({ ...ended, end });
      code = exitCodes[end.why];
      return;
    }
  }

  let isLast = false;
  for (;;) {
    if (isLast && (working <= 0 || code !== 0)) return code;
    const next = await Promise.race([
      isLast ? (options.leaving?.then(() => "end") ?? never) : jobs.peek().then(() => "job"),
      events.peek().then(() => "event"),
    ]);
    if (next === "end") return code;
    if (next === "job") {
      const { value: job, done } = await jobs.next();
      isLast = done === true;
      if (!job) continue;
      await turn(job.command);
      job.done?.();
      continue;
    }
    const { value: event, done } = await events.peek();
    if (done) return code;
    if (event.type === "phase" && event.phase === "starting") await turn(null);
    else {
      await events.next();
      await report(event);
    }
  }
}

const never = new Promise<never>(() => undefined);

/** Change in the number of background subagents: -1 for a report. */
function countStarted(entry: Entry): number {
  if (entry.type === "context") return entry.subagent ? -1 : 0;
  const isStart = entry.type === "result" && entry.tool === "Agent";
  return isStart && !entry.subagent && !entry.isError ? 1 : 0;
}

/** An iterator whose next value can be awaited without taking it. */
export function peekable<T>(iterator: AsyncIterator<T, void>) {
  let ahead: Promise<IteratorResult<T, void>> | null = null;
  const peek = (): Promise<IteratorResult<T, void>> => (ahead ??= iterator.next());
  return {
    peek,
    next(): Promise<IteratorResult<T, void>> {
      const next = peek();
      ahead = null;
      return next;
    },
  };
}

const exitCodes = { done: 0, failed: 1, stopped: 130 };

/** Limit on reminders of the required form, per turn. */
const attempts = 5;

/** Reminds the model to answer in the required form, a few times in each turn. */
export function missingAnswer(): (report: TurnReport) => Missing | null {
  let left = attempts;
  return ({ structured }) => {
    if (structured !== undefined) {
      left = attempts;
      return null;
    }
    if (left-- > 0) return { content: [{ type: "text", text: reminder }] };
    left = attempts;
    const message = `The model did not answer in the required form in ${attempts} attempts.`;
    return { why: "failed", limit: "structured", message };
  };
}

const reminder = "Call the tool StructuredOutput now, with your final answer as its input.";

type Job = { command: AgentCommand; done?: () => void };

/** A queue of jobs. Ends when closed and empty. */
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

/** The command of a message of the user: `/compact`, or else a prompt. */
export function toCommand(content: UserBlock[], uuid?: string): AgentCommand {
  const [command, focus] = /^\/compact(?:\s+(\S.*))?\s*$/s.exec(blockText(content)) ?? [];
  if (command === undefined) return { type: "prompt", content, ...(uuid && { uuid }) };
  return { type: "compact", how: "summarize", trigger: "command", ...(focus && { focus }) };
}
