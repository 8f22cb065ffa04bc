import { expect, test } from "bun:test";
import { rules } from "./printed.ts";
import { RunStats } from "../../../src/headless/print/run-stats.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import { answer, failedSummary, freeCut, makePath, makeReport } from "../../facts.ts";

const prices = {
  input: 2,
  output: 10,
  cacheRead: 0.2,
  cacheWrite5m: 2.5,
  cacheWrite1h: 4,
  beyond: {
    promptTokens: 1_000,
    input: 4,
    output: 20,
    cacheRead: 0.4,
    cacheWrite5m: 5,
    cacheWrite1h: 8,
  },
};
const usage = { input: 600, cacheRead: 0, cacheWrite: 0, output: 100 };
// The clock was set back during the call.
const sentAt = "2026-01-01T00:00:05.000Z";
const entries = makePath(
  answer(usage, [], { sentAt }),
  answer(usage, [], { sentAt, stop: "failed" }),
  failedSummary(usage),
  freeCut({
    summary: { by: "model", usage, turns: 1, instructionsPutBack: [], losses: [] },
  }),
);

test("answers, interrupted answers and summaries are all billed, each call at its own price", async () => {
  const stats = new RunStats("m", async () => ({ ...rules, prices }));
  for (const entry of entries) await stats.add({ type: "entry", entry });
  const report = stats.end({ why: "done" });
  expect(report.usage).toMatchObject({ input: 2_400, output: 400 });
  // In total they would exceed the limit above which a prompt costs double; none of them does
  // alone.
  expect(report.totalUsd).toBeCloseTo((4 * (600 * 2 + 100 * 10)) / 1e6, 10);
  expect([report.calls, report.apiMs]).toEqual([1, 0]);
});

test("a turn lasts from its beginning to its end", () => {
  let now = 1_000;
  const stats = new RunStats(
    "m",
    async () => rules,
    () => now,
  );
  now = 5_000;
  stats.begin();
  now = 5_700;
  expect(stats.end({ why: "done" }).durationMs).toBe(700);
});

test("what a subagent used is billed to its own model", async () => {
  const stats = new RunStats("m", async (model) => {
    // Takes as long as a server that has to be asked.
    await new Promise(setImmediate);
    return { ...rules, model, prices };
  });
  const subagent = { session: "s2", type: "Explore", model: "small", calls: 1, usage, usd: 1 };
  for (const entry of makePath(makeReport({ subagent }))) await stats.add({ type: "entry", entry });
  const { models, totalUsd } = stats.end({ why: "done" });
  expect([...models.keys()]).toEqual(["small"]);
  expect(totalUsd).toBeCloseTo((600 * 2 + 100 * 10) / 1e6, 10);
});

const add = (stats: RunStats, fact: Fact, at = "2026-01-01T00:00:09.000Z"): Promise<void> =>
  stats.add({ type: "entry", entry: { id: "e1", parent: null, at, ...fact } });

const words = (text: string, when: string): Fact =>
  answer(usage, [{ type: "text", text }], { sentAt: when });

test("the time of calls is added up, and an unknown time counts as zero", async () => {
  const stats = new RunStats("m", async () => rules);
  await add(stats, words(" One. ", "2026-01-01T00:00:05.000Z"));
  await add(stats, words(" \n", "2026-01-01T00:00:07.500Z"));
  await add(stats, words("", "before"));
  expect(stats.end({ why: "done" })).toMatchObject({ apiMs: 5_500, calls: 3, answer: "One." });
  stats.begin();
  expect(stats.end({ why: "done" })).toMatchObject({ apiMs: 0, calls: 0, answer: "", stop: null });
});

test("other costs are billed to the session's model at that time", async () => {
  const asked: string[] = [];
  const stats = new RunStats("m", async (model) => {
    asked.push(model);
    return rules;
  });
  const attempt = failedSummary(usage);
  await add(stats, attempt);
  await add(stats, { type: "model", model: "n" });
  await add(stats, attempt);
  await add(stats, attempt);
  await add(stats, words("Hi.", "2026-01-01T00:00:05.000Z"));
  const { models } = stats.end({ why: "done" });
  expect([...models].map(([model, { usage: used }]) => [model, used.input])).toEqual([
    ["m", 1_200],
    ["n", 1_200],
  ]);
  expect(asked).toEqual(["m", "n"]);
});

const form = (input: Record<string, unknown>): Fact =>
  answer(usage, [{ type: "tool_use", id: "t", name: "StructuredOutput", input }], {
    stop: "tool_use",
    sentAt,
  });
const accepted = makeReport({ tool: "StructuredOutput" });

test("an answer in a form counts once it was accepted, and only in its turn", async () => {
  const stats = new RunStats("m", async () => rules);
  await add(stats, form({ n: 1 }));
  await add(stats, { ...accepted, isError: true });
  await add(stats, { ...accepted, tool: "Read" });
  expect(stats.end({ why: "done" }).structured).toBeUndefined();
  await add(stats, form({ n: 1 }));
  await add(stats, accepted);
  expect(stats.end({ why: "done" }).structured).toEqual({ n: 1 });
  stats.begin();
  expect(stats.end({ why: "done" }).structured).toBeUndefined();
});

test("a denial in a subagent is listed with its call; its answers are not the turn's", async () => {
  const stats = new RunStats("m", async () => rules);
  const entry: Entry = { id: "e1", parent: null, at: "", ...form({ n: 1 }) };
  stats.addOfSubagent({ type: "entry", entry });
  stats.addOfSubagent({ type: "denied", toolUse: "t" });
  stats.addOfSubagent({ type: "denied", toolUse: "of nothing" });
  expect(stats.end({ why: "done" })).toMatchObject({
    denied: [{ id: "t" }],
    calls: 0,
    totalUsd: 0,
  });
  stats.begin();
  expect(stats.end({ why: "done" }).denied).toEqual([]);
});
