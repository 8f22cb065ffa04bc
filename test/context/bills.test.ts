import { expect, test } from "bun:test";
import { Bills } from "../../src/context/bills.ts";
import type { Entry } from "../../src/protocol/entry.ts";
import { rules } from "./build.ts";

test("what a tool's own calls of a model cost is counted once, at the price it names", () => {
  const usage = { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 50, webSearches: 2 };
  const result: Entry = {
    id: "e1",
    parent: null,
    at: "2026-11-22T12:00:00.000Z",
    type: "result",
    toolUse: "t1",
    tool: "WebSearch",
    content: [{ type: "text", text: "found" }],
    bytes: 5,
    lines: 1,
    spent: { model: "small", usage, usd: 0.021 },
  };
  const bills = new Bills();
  bills.add(result);
  bills.add(result);
  expect(bills.usd(rules.prices)).toBeCloseTo(0.021);
  expect(bills.total).toMatchObject({ input: 1_000, output: 50, webSearches: 2 });
});
