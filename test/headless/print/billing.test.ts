/** What the calls of a run used and cost, in its result. */

import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../src/base/clock.ts";
import { call, say } from "../../fake-api/index.ts";
import { isResult, openProgram } from "../program.ts";

const { box, run, connect } = await openProgram("billing");

const prices = { input: 3, output: 10, cacheRead: 0.5, cacheWrite: 4 };
const models = Object.fromEntries(
  ["claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5"].map((name) => [name, { prices }]),
);
await Bun.write(join(box.home, "models.json"), JSON.stringify({ models }));

type Usage = Record<string, number>;

const usdOf = (usage: Usage): number => {
  const { input_tokens: input = 0, output_tokens: output = 0 } = usage;
  const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage;
  return (input * 3 + output * 10 + read * 0.5 + written * 4) / 1e6;
};

test("every call is billed, tokens written for an hour apart from those for five minutes", async () => {
  const flags = ["--output-format=json", "--verbose"];
  const startMs = performance.now();
  let nowMs = Date.UTC(2026, 0, 2);
  const clock = spyOn(systemClock, "now").mockImplementation(() => (nowMs += 1_000));
  const { messages, result } = await run(flags, [[call("Glob", { pattern: "*" })], say("None.")]);
  clock.mockRestore();
  const [one, two] = messages.flatMap(({ message }) => Object(message).usage ?? []);
  const sum = (field: string): number => one[field] + two[field];
  const fields = ["input_tokens", "output_tokens", "cache_read_input_tokens"];
  expect(result["usage"]).toMatchObject(
    Object.fromEntries([...fields, "cache_creation_input_tokens"].map((at) => [at, sum(at)])),
  );
  const written = one.cache_creation;
  expect([written.ephemeral_5m_input_tokens > 0, written.ephemeral_1h_input_tokens > 0]).toEqual([
    true,
    true,
  ]);
  const total = usdOf(one) + usdOf(two);
  expect(result["total_cost_usd"]).toBeCloseTo(total, 10);
  expect(result["modelUsage"]).toEqual({
    "claude-sonnet-5-5": {
      inputTokens: sum("input_tokens"),
      outputTokens: sum("output_tokens"),
      cacheReadInputTokens: sum("cache_read_input_tokens"),
      cacheCreationInputTokens: sum("cache_creation_input_tokens"),
      webSearchRequests: 0,
      costUSD: expect.closeTo(total, 10),
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
    },
  });
  // Two answers; only the times of the log are those of the clock.
  const api = Number(result["duration_api_ms"]);
  expect([api >= 2_000, api % 1_000]).toEqual([true, 0]);
  const all = Number(result["duration_ms"]);
  expect([Number.isInteger(all), all <= performance.now() - startMs]).toEqual([true, true]);
});

test("a subagent is billed to its own model, once, and a summary to the turn that asked for it", async () => {
  const scout = { description: "Looks", prompt: "Look.", model: "haiku" };
  const task = { description: "Look", prompt: "Look around", subagent_type: "scout" };
  const long = say("word ".repeat(4_000));
  const client = connect(
    [
      [call("Agent", task)],
      say("Seen."),
      long,
      long,
      say(`<summary>${"Hello. ".repeat(30)}</summary>`),
    ],
    { flags: ["--agents", JSON.stringify({ scout })] },
  );
  const results: { usage: Usage; total_cost_usd: number; modelUsage: Record<string, Usage> }[] = [];
  for (const text of ["go", "on", "/compact"]) {
    if (text === "/compact") await client.ask({ subtype: "set_model", model: "opus" });
    client.say(text);
    results.push(Object((await client.until(isResult)).at(-1)));
  }
  const outputs = results.map(({ usage }) => usage["output_tokens"] ?? 0);
  const [first, second, summary] = outputs;
  const { "claude-haiku-5-5": haiku, "claude-sonnet-5-5": sonnet } = results[0]?.modelUsage ?? {};
  expect([haiku, sonnet].map((used) => Number(used?.["outputTokens"]) > 0)).toEqual([true, true]);
  expect(Number(haiku?.["outputTokens"]) + Number(sonnet?.["outputTokens"])).toBe(Number(first));
  expect([Number(second) > 4_000, Number(summary) > 30, Number(summary) < 200]).not.toContain(
    false,
  );
  // The model was changed before.
  expect(results[2]?.modelUsage["claude-opus-5-5"]).toMatchObject({ outputTokens: summary });
  let spent = 0;
  for (const { usage, total_cost_usd: total } of results)
    expect(total).toBeCloseTo((spent += usdOf(usage)), 10);
});
