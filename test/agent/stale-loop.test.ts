/** A long loop on a server that takes no betas, and so cannot drop thinking that a cut made stale. */

import { expect, test } from "bun:test";
import { createAgent } from "../../src/agent/agent.ts";
import { AsyncQueue } from "../../src/agent/async-queue.ts";
import { Compactor } from "../../src/agent/compaction/compactor.ts";
import { createTurnBoundaries } from "../../src/agent/compaction/at-boundary.ts";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import type { AgentCommand } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { call, FakeApi, say, think } from "../fake-api/index.ts";
import { hooksWith } from "../extensions/hooks/hooks-with.ts";
import { instantClock } from "../instant-clock.ts";
import { goodSummary } from "./compaction/harness.ts";
import { of } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { ScriptedToolbox } from "./scripted.ts";

const name = "claude-sonnet-5-5";
const windowTokens = 12_000;

test.each([true, false])(
  "one prompt of 80 calls has no request refused, with the Models API %p",
  async (modelsApi) => {
    let asked = 0;
    const fake = new FakeApi({
      model: { windowTokens },
      modelsApi,
      responder: ({ messages }) => {
        if (JSON.stringify(messages.at(-1)).includes("<analysis>")) return say(goodSummary());
        if (++asked > 80) return say("All read.");
        return say("", {
          content: [think(`thought ${asked}`), call("read", { path: `${asked}` })],
        });
      },
    });
    const log = new MemoryLog();
    const client = createAnthropicClient({
      apiKey: "test",
      baseUrl: "http://fake",
      fetch: fake.fetch,
      clock: fake.clock,
    });
    const rules = { ...(await client.rules(name)), windowTokens };
    expect(rules.refusesStaleThinking).toBe(modelsApi ? undefined : true);
    const clock = instantClock(() => fake.clock.now());
    const hooks = hooksWith();
    const agent = createAgent({
      log,
      hooks,
      model: { ...client, rules: async () => rules },
      toolbox: new ScriptedToolbox(async () => "some words ".repeat(180)),
      policy: defaultPolicy,
      rules,
      clock,
      boundaries: (session) =>
        createTurnBoundaries(
          session,
          new Compactor({ session, hooks, model: () => client, readFile: async () => null, clock }),
        ),
      opening: async () => [
        {
          type: "session",
          version: 1,
          session: "s",
          cwd: "/w",
          model: name,
          system: "be good",
          tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
        },
      ],
      rewindFiles: async () => ({ text: "", files: [] }),
    });
    const commands = new AsyncQueue<AgentCommand>();
    commands.push({ type: "prompt", content: [{ type: "text", text: "Read them all." }] });
    const events: AgentEvent[] = [];
    for await (const event of agent.run(commands)) {
      events.push(event);
      if (event.type === "idle") commands.close();
    }
    expect(fake.refusals.filter((one) => one !== "Not Found")).toEqual([]);
    expect(events.at(-1)).toEqual({ type: "idle", why: "done" });
    expect(of(log.path, "cut").length).toBeGreaterThan(2);
  },
);
