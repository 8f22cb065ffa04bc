/** An agent with the real client against the strict fake API; its log is in memory. */

import { createAgent } from "../../src/agent/agent.ts";
import { createTurnBoundaries } from "../../src/agent/compaction/at-boundary.ts";
import { AsyncQueue } from "../../src/base/async-queue.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { FakeApi } from "../fake-api/index.ts";
import { sessionWith } from "../facts.ts";
import { instantClock } from "../instant-clock.ts";
import { MemoryLog } from "./memory-log.ts";
import { ScriptedToolbox } from "./scripted.ts";

export const modelName = "claude-sonnet-5-5";

type AgentOptions = Parameters<typeof createAgent>[0];

export type FakeAgentOptions = {
  api?: FakeApi;
  log?: MemoryLog;
  policy?: Partial<Policy>;
  rules?: Partial<ModelRules>;
  toolbox?: ScriptedToolbox;
  hooks?: Parameters<typeof hooksWith>[0];
  /** Names of its tools. */
  tools?: readonly string[];
  system?: string;
  /** Summaries are written beforehand. */
  prepares?: boolean;
  /** The client that the agent gets. */
  wrap?(client: ModelClient): ModelClient;
  /** Further options of the agent. Without `boundaries`, cuts are made as in a real session. */
  agent?: Partial<AgentOptions>;
};

export async function fakeAgent({
  api = new FakeApi(),
  log = new MemoryLog(),
  policy = {},
  tools = [],
  wrap = (client) => client,
  ...options
}: FakeAgentOptions = {}) {
  const access = { apiKey: "test", baseUrl: "http://fake", fetch: api.fetch, clock: api.clock };
  const client = wrap(createAnthropicClient(access));
  const rules = { ...(await client.rules(modelName)), ...options.rules };
  const clock = instantClock(() => api.clock.now());
  const hooks = hooksWith(options.hooks);
  const system = options.system ?? "be good";
  const opening: Fact = { ...sessionWith(...tools), model: modelName, system };
  const agent = createAgent({
    log,
    hooks,
    model: client,
    toolbox: options.toolbox ?? new ScriptedToolbox(),
    policy: { ...defaultPolicy, ...policy },
    rules,
    clock,
    boundaries: (session) =>
      createTurnBoundaries({
        session,
        hooks,
        model: client,
        readFile: async () => null,
        clock,
        prepares: options.prepares ?? false,
      }),
    opening: async () => (log.path.length > 0 ? [] : [opening]),
    rewindFiles: async () => ({ text: "", files: [] }),
    ...options.agent,
  });
  const commands = new AsyncQueue<AgentCommand>();
  const events: AgentEvent[] = [];
  const watching = new Set<() => void>();
  let running: Promise<void> | undefined;
  const give = (command: AgentCommand): void => {
    commands.push(command);
    running ??= (async () => {
      for await (const event of agent.run(commands)) {
        events.push(event);
        for (const look of watching) look();
      }
    })();
  };
  const until = async (happened: () => boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => (happened() ? resolve() : undefined);
    watching.add(look);
    look();
    await promise;
    watching.delete(look);
  };
  const idles = (): number => events.filter(({ type }) => type === "idle").length;
  return {
    api,
    log,
    rules,
    events,
    until,
    give,
    /** Sends a command; returns the event that ends its turn. */
    async send(command: AgentCommand): Promise<AgentEvent | undefined> {
      const before = idles();
      give(command);
      await until(() => idles() > before);
      return events.findLast(({ type }) => type === "idle");
    },
    async end(): Promise<void> {
      commands.close();
      await running;
    },
  };
}
