/**
 * Sixty ordinary turns with default settings in a window of 200,000 tokens, against the strict API: every cut with
 * its line, what it promised and what it left. `bun test/lab/bench/ordinary.ts [turns] [minFreed]`.
 */

import { createAgent } from "../../../src/agent/agent.ts";
import { AsyncQueue } from "../../../src/base/async-queue.ts";
import { createTurnBoundaries } from "../../../src/agent/compaction/at-boundary.ts";
import { describeCut, whyCut } from "../../../src/context/describe-cut.ts";
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
const turns = Number(process.argv[2] ?? 60);
const breakBefore = turns - 6;
const policy = { ...defaultPolicy, minFreed: Number(process.argv[3] ?? defaultPolicy.minFreed) };

const line = (seed: number): string =>
  `const value${seed} = compute(${seed}, "some words of a file");\n`;
const text = (chars: number, seed: number): string =>
  Array.from({ length: Math.ceil(chars / 52) }, (_, at) => line(seed * 1_000 + at))
    .join("")
    .slice(0, chars);

/** The calls of a turn, and how many characters they give. */
const work = (turn: number): [tool: string, input: object, chars: number][] => [
  ["Grep", { pattern: `value${turn}` }, 3_000],
  ["readFile", { file_path: `/w/file${turn % 14}.ts` }, 6_000 + ((turn * 3_700) % 16_000)],
  ["Bash", { command: `bun test part${turn}` }, 2_000 + ((turn * 6_100) % 24_000)],
];

let turn = 0;
let step = 0;
const fake = new FakeApi({
  model: { windowTokens },
  responder: ({ messages }) => {
    if (JSON.stringify(messages.at(-1)).includes("<analysis>")) return say(goodSummary());
    const next = work(turn)[step++];
    if (!next) return say(`Part ${turn} is done. ${text(5_000, turn)}`);
    return { content: [think(`Part ${turn}, step ${step}.`), call(next[0], next[1])] };
  },
});
const client = createAnthropicClient({
  apiKey: "test",
  baseUrl: "http://fake",
  fetch: fake.fetch,
  clock: fake.clock,
});
const rules = { ...(await client.rules(model)), windowTokens };
const clock = instantClock(() => fake.clock.now());
const hooks = hooksWith();
const log = new MemoryLog(() => fake.clock.now());
const toolbox = new ScriptedToolbox(async ({ name }) => {
  const found = work(turn).find(([tool]) => tool === name);
  return text(found?.[2] ?? 10, turn);
});
toolbox.allowed.push("Grep", "Bash");
const agent = createAgent({
  log,
  hooks,
  model: { ...client, rules: async () => rules },
  toolbox,
  policy,
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
      system: "Be good. ".repeat(800),
      tools: ["Grep", "readFile", "Bash", "Recall"].map((name) => {
        return { name, description: "Reads.", input_schema: { type: "object" } };
      }),
    },
  ],
  rewindFiles: async () => ({ text: "", files: [] }),
});
const commands = new AsyncQueue<AgentCommand>();
const send = (): void => {
  step = 0;
  fake.clock.advance(turn === breakBefore ? 8 * 60_000 : 20_000);
  commands.push({
    type: "prompt",
    content: [{ type: "text", text: `Part ${turn}: ${text(300, turn)}` }],
  });
};
send();
const effective = windowTokens - defaultPolicy.reserveTokens;
for await (const event of agent.run(commands)) {
  if (event.type === "entry" && event.entry.type === "cut") {
    const { price, trigger } = event.entry;
    const share = Math.round((100 * price.usedBefore) / effective);
    console.log(
      `turn ${turn} at ${share} %: ${describeCut(event.entry)} (${whyCut(event.entry)}), ` +
        `${price.usedBefore} to ${price.usedAfter} tokens, $${price.usd.toFixed(3)}, ${trigger}`,
    );
  }
  if (event.type !== "idle") continue;
  if (event.why !== "done") console.log(event);
  turn++;
  if (turn < turns) send();
  else commands.close();
}
let [usd, read] = [0, 0];
for (const entry of log.path) {
  const usage =
    entry.type === "assistant"
      ? entry.usage
      : entry.type === "cut"
        ? entry.summary?.usage
        : undefined;
  if (usage) usd += callCost(usage, rules.prices);
  if (usage) read += usedBy(usage);
}
const refused = fake.refusals.filter((one) => one !== "Not Found");
console.log(
  `${turns} turns, $${usd.toFixed(2)}, ${(read / 1e6).toFixed(1)}M tokens sent and written, ` +
    `${refused.length} requests refused`,
);
