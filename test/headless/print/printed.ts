/** What a run prints for a list of events. */

import { eventsShape, jsonShape, textShape } from "../../../src/headless/print/formats.ts";
import {
  type Job,
  JobQueue,
  type PrintOptions,
  type Shape,
  printRun,
} from "../../../src/headless/print/print.ts";
import { RunStats } from "../../../src/headless/print/run-stats.ts";
import { streamJsonShape } from "../../../src/headless/print/stream-json.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import type { ModelRules } from "../../../src/protocol/model.ts";
import { localRules } from "../../../src/model/rules.ts";

const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };
export const rules: ModelRules = { ...localRules("m", null).rules, prices };

let last = 0;

export const entry = (fact: Fact): AgentEvent & { entry: Entry } => ({
  type: "entry",
  entry: { id: `e${++last}`, parent: null, at: "2026-01-01T00:00:02.000Z", ...fact },
});

export const done: AgentEvent = { type: "idle", why: "done" };

export const prompt: Extract<AgentCommand, { type: "prompt" }> = {
  type: "prompt",
  content: [{ type: "text", text: "hi" }],
};

type Format = "text" | "json" | "stream-json" | "events";

type More = Partial<Pick<PrintOptions, "missing">> & {
  jobs?: readonly Job[];
  verbose?: boolean;
  partialMessages?: boolean;
  replayUserMessages?: boolean;
  stateEvents?: boolean;
};

export const options = {
  session: "s",
  facts: () => ({
    cwd: "/work",
    model: "m",
    mode: "accept-edits" as const,
    tools: ["Read"],
    mcp_servers: [],
    slash_commands: [],
    agents: [],
    skills: [],
    apiKeySource: "none",
  }),
};

export async function printed(format: Format, events: readonly AgentEvent[], more: More = {}) {
  const sent: AgentCommand[] = [];
  const messages: Record<string, unknown>[] = [];
  let out = "";
  let log = "";
  const print = (text: string): void => void (out += text);
  const shapes: Record<Format, () => Shape> = {
    text: () => textShape(print, (text) => void (log += text)),
    events: () => eventsShape(print),
    json: () => jsonShape({ ...options, out: print, verbose: more.verbose ?? false }),
    "stream-json": () =>
      streamJsonShape({
        ...options,
        partialMessages: more.partialMessages ?? false,
        replayUserMessages: more.replayUserMessages ?? false,
        stateEvents: more.stateEvents ?? false,
        print: (message) => void messages.push({ ...message }),
      }),
  };
  const jobs = new JobQueue();
  for (const job of more.jobs ?? [{ command: prompt }]) jobs.push(job);
  jobs.close();
  async function* stream(): AsyncGenerator<AgentEvent, void> {
    yield* events;
  }
  const code = await printRun({
    events: stream(),
    send: (command) => void sent.push(command),
    jobs,
    shape: shapes[format](),
    stats: new RunStats(
      "m",
      // Asynchronously, as from a server.
      () => new Promise((resolve) => setImmediate(() => resolve(rules))),
      () => 0,
    ),
    ...(more.missing ? { missing: more.missing } : {}),
  });
  return { code, out, log, sent, messages };
}
