/** Starts subagents and delivers their reports. */

import explorePrompt from "./prompts/explore.md" with { type: "text" };
import type { Agent } from "./agent.ts";
import { AsyncQueue } from "../base/async-queue.ts";
import { errorMessage } from "../base/format.ts";
import type { HookRegistry } from "../extensions/hooks/registry.ts";
import { billedFor, spentElsewhere } from "../protocol/billed.ts";
import { blockText, findSubject } from "../protocol/block.ts";
import type { Answer, AgentCommand } from "../protocol/command.ts";
import type { Entry, SubagentRun } from "../protocol/entry.ts";
import type { AgentEvent, Ask } from "../protocol/event.ts";
import { addUsage, callCost, noUsage, type Prices, type Usage } from "../protocol/model.ts";
import type { RunningSubagent, SubagentDefinition } from "../protocol/subagent-definition.ts";
import type { StartedSubagent, SubagentChoice, SubagentTask } from "../tools/agent-tool.ts";
import type { ToolRun } from "../tools/tool.ts";

/** An agent with a session of its own, before it has a task. */
export type OpenedSubagent = {
  session: string;
  agent: Agent;
  model: string;
  prices: Prices;
  close(): Promise<void>;
};

type Parent = {
  choices: readonly SubagentChoice[];
  /** Opens a session for a task; `toolUse`: the call that asked for it. */
  open(task: SubagentTask, toolUse: string): Promise<OpenedSubagent>;
  hooks: Pick<HookRegistry, "run">;
  /** Delivers the report of one that works in the background; absent: none can. */
  send?: ((command: AgentCommand) => void) | undefined;
  /** Called with what happens in their sessions. */
  onEvent?: ((subagent: RunningSubagent, event: AgentEvent) => void) | undefined;
  /** Answers those in the background. */
  askInBackground(ask: Ask, signal: AbortSignal): Promise<Answer>;
};

type Running = { stop: AbortController; work: Promise<unknown>; isDetached(): boolean };

export class Subagents {
  readonly #parent: Parent;
  /** By their sessions. */
  readonly #running = new Map<string, Running>();
  /** Questions of subagents that work side by side are asked one after the other. */
  #asked: Promise<unknown> = Promise.resolve();

  constructor(parent: Parent) {
    this.#parent = parent;
  }

  get choices(): readonly SubagentChoice[] {
    return this.#parent.choices;
  }

  async start(task: SubagentTask, run: ToolRun): Promise<StartedSubagent> {
    const { open, send, onEvent } = this.#parent;
    const { session, agent, model, prices, close } = await open(task, run.toolUse);
    const stop = new AbortController();
    let isDetached = false;
    run.signal.addEventListener("abort", () => isDetached || stop.abort());
    if (run.signal.aborted) stop.abort();
    const steps: string[] = [];
    const { type, prompt } = task;
    const running = { session, toolUse: run.toolUse, type, prompt };
    const name = (ask: Ask): Ask => ({
      ...ask,
      id: `${run.toolUse}:${ask.id}`,
      title: `${type}: ${ask.title}`,
      subagent: session,
      ...(isDetached && { inBackground: true }),
    });
    let waitedMs = 0;
    const detached = Promise.withResolvers<null>();
    /** Null: the call goes on without it. */
    const askInCall = async (ask: Ask): Promise<Answer | null> => {
      if (isDetached) return null;
      const sinceMs = performance.now();
      try {
        return await Promise.race([run.ask(name(ask)), detached.promise]);
      } finally {
        waitedMs += Math.round(performance.now() - sinceMs);
      }
    };
    const answer = async (ask: Ask): Promise<Answer> => {
      const answered = isDetached ? null : await this.#inTurn(() => askInCall(ask));
      if (answered) return answered;
      return this.#parent.askInBackground(name(ask), stop.signal).catch(() => unanswered);
    };
    const work = runSubagent(agent, task.prompt, {
      prices,
      signal: stop.signal,
      event: (event) => onEvent?.(running, event),
      ask: answer,
      step(line) {
        steps.push(line);
        if (!isDetached) run.progress(steps.slice(-20).join("\n"), steps.length);
      },
    })
      .finally(close)
      .catch(failed);
    void work.then(({ text }) => this.#ended({ agent_id: session, agent_type: task.type }, text));
    this.#running.set(session, { stop, work, isDetached: () => isDetached });
    const report = work
      .finally(() => this.#running.delete(session))
      .then((done) =>
        toResult(done, { session, type: task.type, model, ...(waitedMs > 0 && { waitedMs }) }),
      );
    const detach = (deliver: (command: AgentCommand) => void) => () => {
      isDetached = true;
      detached.resolve(null);
      void report.then(({ content, subagent }) => {
        const text = blockText(content);
        deliver({ type: "news", title: `report of ${task.type}`, text, subagent });
      });
    };
    return { session, report, detach: send ? detach(send) : null };
  }

  /** Stops all of them, and waits until their logs are complete. */
  async close(): Promise<void> {
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.allSettled(this.#running.values().map(({ work }) => work));
  }

  /** Stops a subagent by its session; its partial answer is the report. Returns whether it was running. */
  stop(session: string): boolean {
    const running = this.#running.get(session);
    running?.stop.abort();
    return running !== undefined;
  }

  /** Stops those in the background. */
  stopBackground(): void {
    for (const { stop, isDetached } of this.#running.values()) if (isDetached()) stop.abort();
  }

  #inTurn<T>(send: () => Promise<T>): Promise<T> {
    const next = this.#asked.then(send);
    this.#asked = next.catch(() => undefined);
    return next;
  }

  #ended(agent: { agent_id: string; agent_type: string }, text: string): void {
    const ending = { ...agent, stop_hook_active: false, last_assistant_message: text };
    const run = { signal: AbortSignal.timeout(hookMs) };
    void this.#parent.hooks.run("SubagentStop", ending, run);
  }
}

/** Longest time that SubagentStop hooks may take, in milliseconds. */
const hookMs = 60_000;

const unanswered: Answer = { allow: false };

/** The report of a failed subagent, such as one whose log could not be written. Its parent agent continues. */
const failed = (error: unknown): SubagentReport => {
  return { text: "", failure: errorMessage(error), calls: 0, usage: noUsage, usd: 0 };
};

function toResult(
  { text, failure, ...spent }: SubagentReport,
  started: Pick<SubagentRun, "session" | "type" | "model" | "waitedMs">,
): Awaited<StartedSubagent["report"]> {
  const words =
    failure === null ? text : `${failure}${text === "" ? "" : ` Its last message: ${text}`}`;
  return {
    content: [{ type: "text", text: words || "It ended without an answer." }],
    ...(failure === null ? {} : { isError: true }),
    subagent: { ...started, ...spent },
  };
}

/** Everything that a subagent needs from the run that starts it. */
type SubagentHost = {
  prices: Prices;
  /** Stops the subagent; its partial answer is the report. */
  signal: AbortSignal;
  ask(ask: Ask): Promise<Answer>;
  /** Called with everything that happens in its session. */
  event?(event: AgentEvent): void;
  /** Called after every step with a line about it. */
  step(line: string): void;
};

type SubagentReport = {
  /** Its final answer. */
  text: string;
  /** Why it ended without an answer; null: it answered. */
  failure: string | null;
  /** Tool calls. */
  calls: number;
  usage: Usage;
  /** US dollars. */
  usd: number;
  /** Some of its prices are estimates. */
  isEstimate?: true;
};

/** Gives an agent one task, and waits for its final answer. */
async function runSubagent(
  agent: Agent,
  task: string,
  host: SubagentHost,
): Promise<SubagentReport> {
  const commands = new AsyncQueue<AgentCommand>();
  const report: SubagentReport = { text: "", failure: null, calls: 0, usage: noUsage, usd: 0 };
  const stop = (): void => commands.push({ type: "stop" });
  const answer = async (ask: Ask): Promise<void> =>
    commands.push({ type: "answer", id: ask.id, answer: await host.ask(ask) });
  commands.push({ type: "prompt", content: [{ type: "text", text: task }] });
  host.signal.addEventListener("abort", stop);
  if (host.signal.aborted) stop();
  try {
    for await (const event of agent.run(commands)) {
      if (event.type === "entry") note(event.entry, report, host);
      host.event?.(event);
      if (event.type === "ask") void answer(event.ask);
      if (event.type !== "idle") continue;
      report.failure = explainFailure(event);
      commands.close();
    }
  } finally {
    host.signal.removeEventListener("abort", stop);
  }
  return report;
}

/** Adds to the report what an entry cost, said and called. */
function note(entry: Entry, report: SubagentReport, host: SubagentHost): void {
  const usage = billedFor(entry);
  if (usage) {
    report.usage = addUsage(report.usage, usage);
    report.usd += callCost(usage, host.prices);
    if (host.prices.areEstimates) report.isEstimate = true;
  }
  const elsewhere = spentElsewhere(entry);
  if (elsewhere) {
    report.usage = addUsage(report.usage, elsewhere.usage);
    report.usd += elsewhere.usd;
    if (elsewhere.isEstimate) report.isEstimate = true;
  }
  if (entry.type !== "assistant") return;
  const text = blockText(entry.content);
  if (text.trim() !== "") report.text = text;
  for (const block of entry.content) {
    if (block.type !== "tool_use") continue;
    report.calls++;
    const [subject = ""] = findSubject(block.input)?.text.split("\n", 1) ?? [];
    host.step(`${block.name} ${subject}`.trim());
  }
}

function explainFailure({ why, message }: Extract<AgentEvent, { type: "idle" }>): string | null {
  if (why === "done") return null;
  return why === "stopped" ? "It was stopped before it finished." : (message ?? "It failed.");
}

/** Subagents that are always available; a definition of the same name replaces one. */
export const builtInSubagents: readonly SubagentDefinition[] = [
  {
    name: "general-purpose",
    description: "Your tools, but it cannot ask the user or start others.",
    prompt: "",
    tools: null,
    model: null,
    readsOnly: false,
  },
  {
    name: "Explore",
    description: "Finds and reads; changes nothing.",
    prompt: explorePrompt.trim(),
    tools: ["Read", "Glob", "Grep", "Bash"],
    model: null,
    readsOnly: true,
  },
];
