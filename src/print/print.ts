import type { UserBlock } from "../protocol/block.ts";
import type { Command } from "../protocol/command.ts";
import type { AgentEvent, TurnEnd } from "../protocol/event.ts";
import type { Job } from "./jobs.ts";
import { RunStats, type TurnReport } from "./run-stats.ts";
import type { Shape } from "./shape.ts";

export type PrintOptions = {
  /** The questions among them are answered elsewhere. */
  events: AsyncGenerator<AgentEvent, void>;
  send(command: Command): void;
  jobs: AsyncIterable<Job>;
  shape: Shape;
  stats: RunStats;
  /** What is still missing when a turn ends, as a message to the model; null: nothing. */
  missing?: ((report: TurnReport) => Missing | null) | undefined;
};

export type Missing = { content: UserBlock[] } | TurnEnd;

/** Does one job after another and prints what happens; returns the exit code of the last one. */
export async function printRun(options: PrintOptions): Promise<number> {
  const { send, jobs, shape, stats, missing } = options;
  let code = 0;
  for await (const job of jobs) {
    stats.begin();
    shape.begin(job);
    send(commandOf(job));
    for (;;) {
      const report = stats.end(await untilIdle(options));
      const more = report.end.why === "done" ? (missing?.(report) ?? null) : null;
      if (more && "content" in more) {
        send({ type: "prompt", content: more.content });
        continue;
      }
      if (job.kind !== "change") shape.end({ ...report, end: more ?? report.end });
      if (job.kind === "change") job.done?.();
      code = exitCodes[(more ?? report.end).why];
      break;
    }
  }
  return code;
}

const exitCodes = { done: 0, failed: 1, stopped: 130 };

/** What the agent is sent for a job. */
export function commandOf(job: Job): Command {
  switch (job.kind) {
    case "prompt":
      return { type: "prompt", content: job.content, ...(job.uuid && { uuid: job.uuid }) };
    case "compact": {
      const { focus } = job;
      const focused = focus === undefined ? {} : { focus };
      return { type: "compact", how: "summarize", trigger: "command", ...focused };
    }
    case "change":
      return job.command;
    default:
      return job satisfies never;
  }
}

async function untilIdle({ events, shape, stats }: PrintOptions): Promise<TurnEnd> {
  for (;;) {
    const { value: event, done } = await events.next();
    if (done) return { why: "failed" };
    if (event.type === "idle") return event;
    await stats.add(event);
    shape.event(event);
  }
}
