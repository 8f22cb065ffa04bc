import { expect, test } from "bun:test";
import { Bills } from "../../../src/context/view/bills.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import { rules } from "../build.ts";

test("the cost of a tool's own model calls is counted once, at its stated price", () => {
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
  expect(bills.isEstimateElsewhere).toBe(false);
  const spent = { model: "small", usage, usd: 0.021, isEstimate: true as const };
  bills.add({ ...result, id: "e2", spent });
  expect(bills.isEstimateElsewhere).toBe(true);
});

test("after a change of model, earlier bills keep their prices", () => {
  const usage = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  const at = "2026-11-22T12:00:00.000Z";
  let count = 0;
  const entry = (fact: Fact): Entry => ({ id: `e${++count}`, parent: null, at, ...fact });
  const session: Fact = {
    type: "session",
    version: 1,
    session: "s",
    cwd: "/w",
    model: "small",
    system: "",
    tools: [],
  };
  const answer: Fact = {
    type: "assistant",
    content: [],
    model: "small",
    usage,
    stop: "end_turn",
    sentAt: at,
  };
  const bills = new Bills();
  const cheap = { ...rules.prices, input: 1 };
  for (const fact of [session, answer]) bills.add(entry(fact));
  expect(bills.usd(cheap)).toBe(1);
  bills.add(entry({ type: "model", model: "large", pricesBefore: cheap }));
  bills.add(entry(answer));
  expect(bills.usd({ ...cheap, input: 5 })).toBe(6);
  expect(bills.billedPrices("small", rules.prices)).toBe(cheap);
  expect(bills.billedPrices("large", rules.prices)).toBe(rules.prices);
  const dear = { ...cheap, input: 5 };
  bills.add(entry({ type: "model", model: "small", pricesBefore: dear }));
  bills.add(entry(answer));
  expect(bills.usd({ ...cheap, input: 2 })).toBe(2 + 5 + 2);
});
