import { expect, test } from "bun:test";
import { rules } from "./printed.ts";
import { RunStats } from "../../src/print/run-stats.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";

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
const price = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };

const answer = (stop: "end_turn" | "failed"): Fact => ({
  type: "assistant",
  content: [],
  model: "m",
  usage,
  stop,
  // The clock was set back during the call.
  sentAt: "2026-01-01T00:00:05.000Z",
});
const facts: Fact[] = [
  answer("end_turn"),
  answer("failed"),
  {
    type: "attempt",
    outcome: "failed",
    by: "model",
    trigger: "auto",
    reason: "",
    usedTokens: 0,
    usage,
  },
  {
    type: "cut",
    tier: "summary",
    trigger: "auto",
    reason: "",
    changes: [],
    price,
    summary: { by: "model", usage, messages: 1, instructionsPutBack: [], losses: [] },
  },
];

test("answers, broken answers and summaries are all billed, each call at its own price", async () => {
  const stats = new RunStats("m", async () => ({ ...rules, prices }));
  for (const [index, fact] of facts.entries()) {
    const entry: Entry = { id: `e${index}`, parent: null, at: "2026-01-01T00:00:00.000Z", ...fact };
    await stats.add({ type: "entry", entry });
  }
  const report = stats.end({ why: "done" });
  expect(report.usage).toMatchObject({ input: 2_400, output: 400 });
  // Together they would cross the limit beyond which a prompt costs double; none of them does.
  expect(report.totalUsd).toBeCloseTo((4 * (600 * 2 + 100 * 10)) / 1e6, 10);
  expect([report.calls, report.apiMs]).toEqual([1, 0]);
});

test("a turn lasts from its begin to its end", () => {
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
  const stats = new RunStats("m", async (model) => ({ ...rules, model, prices }));
  const subagent = { session: "s2", type: "Explore", model: "small", calls: 1, usage, usd: 1 };
  const report: Fact = {
    type: "result",
    toolUse: "t",
    tool: "Agent",
    content: [],
    bytes: 0,
    lines: 0,
    subagent,
  };
  await stats.add({ type: "entry", entry: { id: "e1", parent: null, at: "", ...report } });
  const { models, totalUsd } = stats.end({ why: "done" });
  expect([...models.keys()]).toEqual(["small"]);
  expect(totalUsd).toBeCloseTo((600 * 2 + 100 * 10) / 1e6, 10);
});
