import { textOf } from "../../protocol/block.ts";
import type { Answer, Command } from "../../protocol/command.ts";
import { billedFor } from "../../protocol/billed.ts";
import type { Entry } from "../../protocol/entry.ts";
import type { AgentEvent, Ask } from "../../protocol/event.ts";
import { addUsage, costOf, noUsage, type Prices, type Usage } from "../../protocol/model.ts";
import type { Agent } from "../agent.ts";
import { AsyncQueue } from "../async-queue.ts";

/** What a subagent is started with. */
export type SubagentHost = {
  prices: Prices;
  /** Stops it; its report is then what it has said so far. */
  signal: AbortSignal;
  ask(ask: Ask): Promise<Answer>;
  /** Called with everything that happens in its session. */
  event?(event: AgentEvent): void;
  /** Called after every step with a line about it. */
  step(line: string): void;
};

export type SubagentReport = {
  /** Its final answer. */
  text: string;
  /** Why it ended without an answer; null: it answered. */
  failure: string | null;
  /** Tool calls. */
  calls: number;
  usage: Usage;
  /** US dollars. */
  usd: number;
};

/** Gives an agent one task, and waits for its final answer. */
export async function runSubagent(
  agent: Agent,
  task: string,
  host: SubagentHost,
): Promise<SubagentReport> {
  const commands = new AsyncQueue<Command>();
  const report: SubagentReport = { text: "", failure: null, calls: 0, usage: noUsage, usd: 0 };
  const stop = (): void => commands.push({ type: "stop" });
  commands.push({ type: "prompt", content: [{ type: "text", text: task }] });
  host.signal.addEventListener("abort", stop);
  if (host.signal.aborted) stop();
  try {
    for await (const event of agent.run(commands)) {
      if (event.type === "entry") note(event.entry, report, host);
      host.event?.(event);
      if (event.type === "ask") void answer(event.ask, host, commands);
      if (event.type !== "idle") continue;
      report.failure = failureOf(event);
      commands.close();
    }
  } finally {
    host.signal.removeEventListener("abort", stop);
  }
  return report;
}

async function answer(ask: Ask, host: SubagentHost, commands: AsyncQueue<Command>): Promise<void> {
  commands.push({ type: "answer", id: ask.id, answer: await host.ask(ask) });
}

/** Adds to the report what an entry cost, said and called. */
function note(entry: Entry, report: SubagentReport, host: SubagentHost): void {
  const usage = billedFor(entry);
  if (usage) {
    report.usage = addUsage(report.usage, usage);
    report.usd += costOf(usage, host.prices);
  }
  if (entry.type !== "assistant") return;
  const text = textOf(entry.content);
  if (text.trim() !== "") report.text = text;
  for (const block of entry.content) {
    if (block.type !== "tool_use") continue;
    report.calls++;
    host.step(`${block.name} ${subjectOf(block.input)}`.trim());
  }
}

/** What a call is about: its first short text. */
function subjectOf(input: Readonly<Record<string, unknown>>): string {
  const words = Object.values(input).find((value) => typeof value === "string" && value !== "");
  return typeof words === "string" ? (words.split("\n", 1)[0] ?? "") : "";
}

function failureOf({ why, message }: Extract<AgentEvent, { type: "idle" }>): string | null {
  if (why === "done") return null;
  return why === "stopped" ? "It was stopped before it finished." : (message ?? "It failed.");
}
