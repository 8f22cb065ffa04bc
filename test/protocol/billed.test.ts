import { expect, test } from "bun:test";
import { billedFor, spentElsewhere } from "../../src/protocol/billed.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { answer, makeReport } from "../facts.ts";

const usage = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
const spent = { model: "small", usage, usd: 0.5 };
const subagent = { ...spent, usd: 2, session: "s", type: "explore", calls: 3 };

const result = makeReport({});
const context: Fact = { type: "context", kind: "reminder", title: "t", content: [] };

test("an entry costs what its own call cost", () => {
  expect(billedFor(answer(usage))).toEqual(usage);
  expect(billedFor(context)).toBeUndefined();
  expect(billedFor({ ...result, spent })).toBeUndefined();
});

test("what was spent elsewhere is with the result or the report that it led to", () => {
  expect(spentElsewhere({ ...result, spent })).toEqual(spent);
  expect(spentElsewhere({ ...result, spent, subagent })).toEqual(subagent);
  expect(spentElsewhere({ ...context, subagent })).toEqual(subagent);
  expect(spentElsewhere(answer(usage))).toBeUndefined();
});
