import { expect, test } from "bun:test";
import { measure } from "../../../src/context/meter/meter.ts";
import { project } from "../../../src/context/view/view.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { begin, Builder, rules, say } from "../build.ts";

const usage = { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 0 };
const { prices } = rules;

test("every billed call counts, including interrupted answers and other branches", () => {
  const session = begin();
  session.answer([say("Half")], { stop: "failed", usage });
  session.answer([say("Done.")], { usage });
  const { bills } = session.view;
  expect(bills.usd(prices)).toBeCloseTo(0.004, 9);
  // An entry that is seen again, as after a rewind, is not billed twice.
  for (const entry of session.path) bills.add(entry);
  expect(bills.usd(prices)).toBeCloseTo(0.004, 9);
  const long = { ...prices, beyond: { promptTokens: 1_500, ...prices, input: 100 } };
  expect(bills.usd(long)).toBeCloseTo(0.004, 9);
});

test("calls of an earlier model keep its prices, in the log too", () => {
  const session = new Builder();
  const cheap = { ...prices, input: 1 };
  const dear = { ...prices, input: 7 };
  session.user("Go.");
  session.answer([say("Done.")], { usage });
  session.add({ type: "model", model: "dear", pricesBefore: cheap });
  session.user("Go on.");
  session.answer([say("Done.")], { usage, model: "dear" });
  expect(session.view.bills.usd(dear)).toBeCloseTo(0.008, 9);
  expect(session.view.bills.billedPrices(rules.model, prices)).toBe(cheap);
  expect(session.view.bills.billedPrices("dear", prices)).toBe(prices);
  session.add({ type: "model", model: rules.model, pricesBefore: dear });
  expect(session.view.bills.usd(cheap)).toBeCloseTo(0.008, 9);
  expect(project(session.path).bills.usd(cheap)).toBeCloseTo(0.008, 9);
});

test("a tool's own model calls count at their stated price", () => {
  const session = begin();
  const { bills } = session.view;
  const spent = { model: "small", usage: { ...usage, output: 50, webSearches: 2 }, usd: 0.021 };
  const result = { tool: "WebSearch", content: [say("found")], bytes: 5, lines: 1 };
  session.add({ type: "result", toolUse: "t1", ...result, spent });
  expect(bills.usd(prices)).toBeCloseTo(0.021);
  expect(bills.total).toMatchObject({ input: 1_000, output: 50, webSearches: 2 });
  const isEstimate = () => measure(session.view, rules, defaultPolicy, 0).cost.isEstimate ?? false;
  expect(isEstimate()).toBe(false);
  session.add({ type: "result", toolUse: "t2", ...result, spent: { ...spent, isEstimate: true } });
  expect(isEstimate()).toBe(true);
});
