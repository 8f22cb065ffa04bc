import { expect, test } from "bun:test";
import { defaultModel, knownModels, localRulesOf, rulesOf } from "../../src/model/catalog.ts";
import { costOf } from "../../src/protocol/model.ts";

test.each([...knownModels])("the entry of %s is consistent", (model) => {
  const { prices, windowTokens, outputTokens, cacheMinimumTokens, charsPerToken } = rulesOf(model);
  expect(outputTokens).toBeLessThan(windowTokens);
  expect(prices.cacheRead).toBeLessThan(prices.input);
  expect(prices.input).toBeLessThan(prices.cacheWrite5m);
  expect(prices.cacheWrite5m).toBeLessThan(prices.cacheWrite1h);
  expect(prices.output).toBeGreaterThan(prices.input);
  expect(cacheMinimumTokens).toBeGreaterThanOrEqual(512);
  expect(charsPerToken.result).toBeLessThan(charsPerToken.prose);
});

test("the default is the current Sonnet, as published", () => {
  expect(defaultModel).toBe("claude-sonnet-5-5");
  expect(rulesOf(defaultModel)).toMatchObject({
    windowTokens: 1_000_000,
    outputTokens: 128_000,
    thinking: "bound",
    compacts: true,
    prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 },
    charsPerToken: { result: 2.3 },
  });
});

test.each([
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
  ["claude-opus-4-20250514", "claude-opus-4"],
  ["claude-haiku-4-5@20251001", "claude-haiku-4-5"],
  ["claude-opus-5-5-latest", "claude-opus-5-5"],
  ["us.anthropic/claude-opus-5-5", "claude-opus-5-5"],
])("%s is %s", (snapshot, id) => {
  expect({ ...rulesOf(snapshot), model: id }).toEqual(rulesOf(id));
});

test.each([
  ["claude-opus-4-9", "claude-opus-5-5"],
  ["claude-haiku-7", "claude-haiku-5-5"],
  ["claude-mythos-9", "claude-fable-5-2"],
  ["claude-sonnet-6-1", "claude-sonnet-5-5"],
])("%s is not listed and is taken for %s", (model, id) => {
  expect({ ...rulesOf(model), model: id }).toEqual(rulesOf(id));
});

test("Haiku costs five times as much beyond 100,000 tokens", () => {
  const { prices } = rulesOf("claude-haiku-5-5");
  const usage = { input: 100_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  expect(costOf(usage, prices)).toBeCloseTo(0.01);
  expect(costOf({ ...usage, cacheRead: 1 }, prices)).toBeCloseTo(0.05);
});

test("a local model costs nothing and caches nothing", () => {
  const rules = localRulesOf("llama");
  expect(rules).toMatchObject({ caches: false, thinking: "none", countsTokens: false });
  expect(costOf({ input: 9, cacheRead: 9, cacheWrite: 9, output: 9 }, rules.prices)).toBe(0);
});
