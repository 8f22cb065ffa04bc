import { expect, test } from "bun:test";
import type { MeterReading } from "../../src/context/types.ts";
import { contextUsage } from "../../src/headless/requests.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";

const reading: MeterReading = {
  usedTokens: 100_000,
  errorTokens: 100,
  windowTokens: 200_000,
  effectiveTokens: 180_000,
  utilization: 0.17,
  leftTokens: 150_000,
  breakdown: {
    system: 1_000.4,
    tools: 2_000.6,
    instructions: 0,
    user: 10_000,
    assistant: 5_000,
    thinking: 0,
    toolInputs: 2_000,
    toolResults: 9_999,
    summary: 0,
  },
  cache: { state: "none", expiresAtMs: null, tokens: 0, headTtl: "5m" },
  idleMs: null,
  cost: { session: 0, lastCall: 0 },
};
const policy = { ...defaultPolicy, summaryAt: 0.9 };

test("the parts of the window in whole tokens, and what is free", () => {
  const usage = contextUsage(reading, policy, "claude-sonnet-5-5");
  expect(usage).toMatchObject({
    model: "claude-sonnet-5-5",
    totalTokens: 100_000,
    maxTokens: 200_000,
    rawMaxTokens: 200_000,
    percentage: 50,
    autoCompactThreshold: 162_000,
    isAutoCompactEnabled: true,
  });
  const { categories } = Object(usage);
  expect(categories).toContainEqual({
    name: "System prompt",
    tokens: 1_000,
    color: "",
    kind: "used",
  });
  expect(categories).toContainEqual(
    expect.objectContaining({ name: "System tools", tokens: 2_001 }),
  );
  expect(categories.at(-1)).toEqual({
    name: "Free space",
    tokens: 100_000,
    color: "",
    kind: "free",
  });
});

test("a window that overflows has nothing free", () => {
  const { categories } = Object(contextUsage({ ...reading, usedTokens: 200_001 }, policy, "m"));
  expect(categories.at(-1)).toMatchObject({ tokens: 0 });
});

test.each([
  [{ autoCompact: "ask" as const }],
  [{ autoCompact: "off" as const }],
  [{ compaction: "off" as const }],
])("%j: nothing is compacted automatically", (changes) => {
  const usage = contextUsage(reading, { ...policy, ...changes }, "m");
  expect(usage).toMatchObject({ isAutoCompactEnabled: false });
});
