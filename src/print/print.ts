import type { Command } from "../protocol/command.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Prices } from "../protocol/model.ts";
import { jsonToTerminal, toTerminal } from "../protocol/to-terminal.ts";
import { RunStats } from "./run-stats.ts";
import { progressLine } from "./progress.ts";

export type OutputFormat = "text" | "json" | "stream-json" | "events";

type PrintOptions = {
  events: AsyncIterable<AgentEvent>;
  send(command: Command): void;
  format: OutputFormat;
  session: string;
  prices: Prices;
  /** Standard output: the answer. */
  out(text: string): void;
  /** Standard error: progress. */
  log(text: string): void;
};

/** Prints one run of the agent until it is idle; returns the exit code. */
export async function printRun(options: PrintOptions): Promise<number> {
  const { events, send, format, out, log } = options;
  const stats = new RunStats(options.session, options.prices);
  for await (const event of events) {
    stats.add(event);
    if (format === "events") out(`${jsonToTerminal(JSON.stringify(event))}\n`);
    else {
      const line = progressLine(event);
      if (line !== null) log(`${toTerminal(line)}\n`);
    }
    if (event.type === "ask")
      send({ type: "answer", id: event.ask.id, answer: { allow: false, reason: denial } });
    if (event.type === "compaction" && event.state.step === "review") {
      send({ type: "review", id: event.state.id, text: null });
    }
    if (event.type === "idle") break;
  }
  if (format === "text" && stats.answer !== "") out(`${toTerminal(stats.answer)}\n`);
  if (format === "json") out(`${jsonToTerminal(JSON.stringify(stats.report()))}\n`);
  return stats.exitCode;
}

const denial =
  "Nobody can approve this without a terminal. Start with --permission-mode accept-edits or bypass to allow it.";
