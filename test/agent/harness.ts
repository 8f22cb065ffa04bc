/** An agent in memory: scripted model and tools, no disk, no compaction, timers that fire at once. */

import type { TurnBoundaries } from "../../src/agent/compaction/at-boundary.ts";
import { createAgent, type Agent } from "../../src/agent/agent.ts";
import { AsyncQueue } from "../../src/base/async-queue.ts";
import type { HookRegistry } from "../../src/extensions/hooks/registry.ts";
import type { ModelClient } from "../../src/model/client.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { AgentCommand, Answer } from "../../src/protocol/command.ts";
import type { Entry, EntryOf, Fact } from "../../src/protocol/entry.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { sessionWith } from "../facts.ts";
import { instantClock } from "../instant-clock.ts";
import { MemoryLog } from "./memory-log.ts";
import { quietBoundaries } from "./quiet-boundaries.ts";
import { rules, ScriptedModel, ScriptedToolbox, type Scripted } from "./scripted.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";

type AgentOptions = Parameters<typeof createAgent>[0];
type FindCommand = NonNullable<AgentOptions["findCommand"]>;
export type SlashCommand = NonNullable<Awaited<ReturnType<FindCommand>>>;

export const opening: Fact[] = [{ ...sessionWith(), model: "scripted", system: "be good" }];

export type RunOptions = {
  toolbox?: ScriptedToolbox;
  log?: MemoryLog;
  clock?: Clock;
  rules?: Partial<ModelRules>;
  hooks?: HookRegistry;
  findCommand?: FindCommand;
  boundaries?: Partial<TurnBoundaries>;
  prompts?: string[];
  countTokens?: NonNullable<ModelClient["countTokens"]>;
  /** Further options of the agent. */
  agent?: Partial<AgentOptions>;
  /** Answers every question. */
  answer?: Answer;
  /** Sent in reply to every event of a type. */
  replies?: Partial<Record<AgentEvent["type"], AgentCommand>>;
  /** Commands that follow one another, each once the agent is idle. */
  next?: AgentCommand[];
  /** Idle events after which no more commands come. Default: one more than `next` has. */
  idles?: number;
  /** `end`: no more commands come. */
  on?(
    event: AgentEvent,
    send: (command: AgentCommand) => void,
    agent: Agent,
    end: () => void,
  ): void;
};

export const prompt = (words: string, more: { uuid?: string; typed?: string } = {}) =>
  ({ type: "prompt", content: [{ type: "text", text: words }], ...more }) satisfies AgentCommand;

/** Runs an agent; `on` may send commands in answer to events. */
export async function run(script: Scripted[], options: RunOptions = {}) {
  const log = options.log ?? new MemoryLog();
  const { countTokens } = options;
  const model = Object.assign(new ScriptedModel(...script), countTokens ? { countTokens } : {});
  const toolbox = options.toolbox ?? new ScriptedToolbox();
  const waits: number[] = [];
  const agent = createAgent({
    log,
    hooks: options.hooks ?? hooksWith(),
    ...(options.findCommand ? { findCommand: options.findCommand } : {}),
    model,
    toolbox,
    policy: defaultPolicy,
    rules: { ...rules, ...options.rules },
    clock: options.clock ?? instantClock(undefined, waits),
    boundaries: () => ({ ...quietBoundaries, ...options.boundaries }),
    opening: async () => (log.path[0]?.type === "session" ? [] : opening),
    rewindFiles: async () => ({ text: "", files: [] }),
    ...options.agent,
  });
  const commands = new AsyncQueue<AgentCommand>();
  const send = (command: AgentCommand) => commands.push(command);
  for (const words of options.prompts ?? ["go"]) send(prompt(words));
  const events: AgentEvent[] = [];
  const next = [...(options.next ?? [])];
  let idles = options.idles ?? next.length + 1;
  for await (const event of agent.run(commands)) {
    events.push(event);
    options.on?.(event, send, agent, () => commands.close());
    const reply = options.replies?.[event.type];
    if (reply) send(reply);
    if (event.type === "ask" && options.answer)
      send({ type: "answer", id: event.ask.id, answer: options.answer });
    if (event.type !== "idle") continue;
    const command = next.shift();
    if (command) send(command);
    if (--idles === 0) commands.close();
  }
  return {
    agent,
    log,
    model,
    toolbox,
    events,
    waits,
    notes: of(log.entries, "note").map(({ text }) => text),
    /** The messages of the last request. */
    sent: JSON.stringify(model.requests.at(-1)?.messages),
    /** The types of the entries that the model may see. */
    logged: types(log.path).join(" "),
  };
}

export const of = <T extends Entry["type"]>(entries: readonly Entry[], type: T): EntryOf<T>[] =>
  entries.filter((entry): entry is EntryOf<T> => entry.type === type);

export const types = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.type);

/** The last event, which ends the turn. */
export const ending = (events: readonly AgentEvent[]) => {
  const last = events.at(-1);
  if (last?.type !== "idle") throw new Error(`The last event is ${last?.type}.`);
  return last;
};
