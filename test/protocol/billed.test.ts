import { expect, test } from "bun:test";
import { billedFor, spentElsewhere } from "../../src/protocol/billed.ts";
import type { Fact } from "../../src/protocol/entry.ts";

const usage = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
const spent = { model: "small", usage, usd: 0.5 };
const subagent = { ...spent, usd: 2, session: "s", type: "explore", calls: 3 };

const result: Fact = {
  type: "result",
  toolUse: "t",
  tool: "Bash",
  content: [],
  bytes: 0,
  lines: 0,
};
const context: Fact = { type: "context", kind: "reminder", title: "t", content: [] };
const answer: Fact = {
  type: "assistant",
  content: [],
  model: "large",
  usage,
  stop: "end_turn",
  sentAt: "2026-11-20T10:00:00.000Z",
};

test("an entry costs what its own call cost", () => {
  expect(billedFor(answer)).toEqual(usage);
  expect(billedFor(context)).toBeUndefined();
  expect(billedFor({ ...result, spent })).toBeUndefined();
});

test("what was spent elsewhere is with the result or the report that it led to", () => {
  expect(spentElsewhere({ ...result, spent })).toEqual(spent);
  expect(spentElsewhere({ ...result, spent, subagent })).toEqual(subagent);
  expect(spentElsewhere({ ...context, subagent })).toEqual(subagent);
  expect(spentElsewhere(answer)).toBeUndefined();
});
