/** `mini-claude -p`: does one job after another, and prints what happens. */

import type { UserBlock } from "../../protocol/block.ts";
import type { Command } from "../../protocol/command.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { AgentEvent, TurnEnd } from "../../protocol/event.ts";
import type { Job } from "./jobs.ts";
import type { RunStats, TurnReport } from "./run-stats.ts";

/** How a run without a screen is printed: as text, as JSON, or as a line of JSON for each event. */
export interface Shape {
  /** A turn starts with this command. */
  begin?(command: Command): void;
  event(event: AgentEvent): void;
  /** An entry of a subagent; `parent`: the call that started it. */
  nested?(parent: string, entry: Entry): void;
  /** The turn has ended. */
  end(report: TurnReport): void;
}

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

type Missing = { content: UserBlock[] } | TurnEnd;

/** Returns the exit code of the last job. */
export async function printRun(options: PrintOptions): Promise<number> {
  const { send, jobs, shape, stats, missing } = options;
  let code = 0;
  for await (const { command, done } of jobs) {
    // Any other command only changes something for what follows.
    const isTurn = command.type === "prompt" || command.type === "compact";
    stats.begin();
    if (isTurn) shape.begin?.(command);
    send(command);
    for (;;) {
      const report = stats.end(await untilIdle(options));
      const more = isTurn && report.end.why === "done" ? (missing?.(report) ?? null) : null;
      if (more && "content" in more) {
        send({ type: "prompt", content: more.content });
        continue;
      }
      if (isTurn) shape.end({ ...report, end: more ?? report.end });
      done?.();
      code = exitCodes[(more ?? report.end).why];
      break;
    }
  }
  return code;
}

const exitCodes = { done: 0, failed: 1, stopped: 130 };

async function untilIdle({ events, shape, stats }: PrintOptions): Promise<TurnEnd> {
  for (;;) {
    const { value: event, done } = await events.next();
    if (done) return { why: "failed" };
    if (event.type === "idle") return event;
    await stats.add(event);
    shape.event(event);
  }
}

/** Reminders of the form that an answer must have, in each turn. */
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
