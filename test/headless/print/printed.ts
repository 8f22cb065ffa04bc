/** What a run prints for a list of events. */

import { createPrinter } from "../../../src/headless/print/printer.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import type { ModelRules } from "../../../src/protocol/model.ts";
import { lookUpRules } from "../../../src/model/catalog.ts";

type Printer = ReturnType<typeof createPrinter>;
type RunOptions = Parameters<Printer["run"]>[0];
type Options = Parameters<typeof createPrinter>[0];
type Command = Exclude<AgentCommand, { type: "answer" }>;

const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };
export const rules: ModelRules = { ...lookUpRules("m"), prices };

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

export const facts = {
  cwd: "/work",
  model: "m",
  mode: "accept-edits" as const,
  tools: ["Read"],
  mcp_servers: [],
  slash_commands: [],
  agents: [],
  skills: [],
  apiKeySource: "none",
};

type More = Partial<Options> & Pick<RunOptions, "missing"> & { commands?: readonly Command[] };

export async function printed(
  output: Options["output"],
  events: readonly AgentEvent[] | ((printer: Printer) => AsyncGenerator<AgentEvent, void>),
  { missing, commands = [prompt], ...more }: More = {},
) {
  const sent: AgentCommand[] = [];
  let [out, log] = ["", ""];
  const printer = createPrinter({
    output,
    session: "s",
    facts: () => facts,
    partialMessages: false,
    replayUserMessages: false,
    verbose: false,
    out: (text) => void (out += text),
    log: (text) => void (log += text),
    model: "m",
    // Asynchronously, as from a server.
    rulesOf: () => new Promise((resolve) => setImmediate(() => resolve(rules))),
    ...more,
  });
  async function* stream(): AsyncGenerator<AgentEvent, void> {
    if (typeof events === "function") yield* events(printer);
    else yield* events;
  }
  async function* jobs() {
    for (const command of commands) yield { command };
  }
  const code = await printer.run({
    events: stream(),
    send: (command) => void sent.push(command),
    jobs: jobs(),
    missing,
  });
  const messages: Record<string, unknown>[] = output.endsWith("json")
    ? out.split("\n").flatMap((line) => (line === "" ? [] : JSON.parse(line)))
    : [];
  return { code, out, log, sent, messages, result: messages.at(-1) ?? {} };
}
