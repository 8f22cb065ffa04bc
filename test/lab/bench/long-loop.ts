/**
 * The bill of one prompt of many calls, on a server that drops stale thinking and on one that refuses it:
 * `bun test/lab/bench/long-loop.ts [calls]`.
 */

import { createAgent } from "../../../src/agent/agent.ts";
import { AsyncQueue } from "../../../src/base/async-queue.ts";
import { createTurnBoundaries } from "../../../src/agent/compaction/at-boundary.ts";
import { createAnthropicClient } from "../../../src/model/anthropic/messages.ts";
import type { AgentCommand } from "../../../src/protocol/command.ts";
import { callCost, usedBy } from "../../../src/protocol/model.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { goodSummary } from "../../agent/compaction/harness.ts";
import { MemoryLog } from "../../agent/memory-log.ts";
import { ScriptedToolbox } from "../../agent/scripted.ts";
import { hooksWith } from "../../extensions/hooks/hooks-with.ts";
import { call, FakeApi, say, think } from "../../fake-api/index.ts";
import { instantClock } from "../../instant-clock.ts";

const model = "claude-sonnet-5-5";
const windowTokens = 200_000;
const most = Number(process.argv[2] ?? 500);

async function measureLoop(betas: boolean): Promise<void> {
  let asked = 0;
  const fake = new FakeApi({
    model: { windowTokens },
    keepRequests: 2,
    responder: ({ messages }) => {
      if (JSON.stringify(messages.at(-1)).includes("<analysis>")) return say(goodSummary());
      if (++asked > most) return say("All read.");
      const content = [think(`thought ${asked}`), call("read", { path: `file-${asked}` })];
      return { content };
    },
  });
  const client = createAnthropicClient({
    apiKey: "test",
    baseUrl: "http://fake",
    fetch: fake.fetch,
    clock: fake.clock,
  });
  const known = { ...(await client.rules(model)), windowTokens };
  const rules = betas ? known : { ...known, refusesStaleThinking: true as const };
  const clock = instantClock(() => fake.clock.now());
  const hooks = hooksWith();
  const log = new MemoryLog(() => fake.clock.now());
  const agent = createAgent({
    log,
    hooks,
    model: { ...client, rules: async () => rules },
    toolbox: new ScriptedToolbox(async ({ input }) =>
      Array.from(
        { length: 110 },
        (_, at) => `${input["path"]} line ${at}: some words of a file, quite new\n`,
      ).join(""),
    ),
    policy: defaultPolicy,
    rules,
    clock,
    boundaries: (session) =>
      createTurnBoundaries({ session, hooks, model: client, readFile: async () => null, clock }),
    opening: async () => [
      {
        type: "session",
        version: 1,
        session: "s",
        cwd: "/w",
        model,
        system: "be good",
        tools: [
          { name: "read", description: "Reads.", input_schema: { type: "object" } },
          { name: "Recall", description: "Opens.", input_schema: { type: "object" } },
        ],
      },
    ],
    rewindFiles: async () => ({ text: "", files: [] }),
    limits: { maxCalls: most + 10 },
  });
  const commands = new AsyncQueue<AgentCommand>();
  commands.push({ type: "prompt", content: [{ type: "text", text: "Read them all." }] });
  let end = "";
  for await (const event of agent.run(commands)) {
    if (event.type !== "idle") continue;
    end = event.why;
    commands.close();
  }
  let [usd, calls, read, all, cuts, folds] = [0, 0, 0, 0, 0, 0];
  for (const entry of log.path) {
    if (entry.type === "cut") {
      if (entry.tier === "manual") folds++;
      else cuts++;
      if (entry.summary?.usage) usd += callCost(entry.summary.usage, rules.prices);
    }
    if (entry.type !== "assistant") continue;
    calls++;
    usd += callCost(entry.usage, rules.prices);
    read += entry.usage.cacheRead;
    all += usedBy(entry.usage) - entry.usage.output;
  }
  const refused = fake.refusals.filter((one) => one !== "Not Found").length;
  console.log(
    `${betas ? "with" : "without"} betas: ${end}, ${calls} calls, $${usd.toFixed(2)}, ` +
      `${((100 * read) / all).toFixed(1)} % read from the cache, ${cuts} cuts, ${folds} folds, ${refused} refused`,
  );
}

for (const betas of [true, false]) await measureLoop(betas);
