import { expect, test } from "bun:test";
import {
  defaultModel,
  effortWithin,
  knownModels,
  findPrices,
  lookUpRules,
} from "../../src/model/catalog.ts";
import { callCost, type Effort } from "../../src/protocol/model.ts";

test("the default is the current Sonnet, as published", () => {
  expect(defaultModel).toBe("claude-sonnet-5-5");
  expect(lookUpRules(defaultModel)).toMatchObject({
    windowTokens: 1_000_000,
    outputTokens: 128_000,
    thinking: "bound",
    compacts: true,
    caches: true,
    countsTokens: true,
    prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 },
    charsPerToken: { result: 2.3 },
  });
});

/** US dollars per million tokens of input, output and cache reads; tokens of the window, of an answer and of the shortest prefix that is cached. */
test.each([
  ["claude-fable-5-2", [10, 50, 1], [1_000_000, 128_000, 512]],
  ["claude-opus-5-5", [4, 20, 0.2], [1_000_000, 128_000, 512]],
  ["claude-haiku-5-5", [0.1, 0.5, 0.01], [1_000_000, 128_000, 1_024]],
  ["claude-fable-5", [10, 50, 1], [1_000_000, 128_000, 512]],
  ["claude-opus-5", [5, 25, 0.5], [1_000_000, 128_000, 512]],
  ["claude-sonnet-5", [2, 10, 0.2], [1_000_000, 128_000, 1_024]],
  ["claude-opus-4-8", [5, 25, 0.5], [1_000_000, 128_000, 1_024]],
  ["claude-opus-4-7", [5, 25, 0.5], [1_000_000, 128_000, 2_048]],
  ["claude-opus-4-6", [5, 25, 0.5], [1_000_000, 128_000, 4_096]],
  ["claude-sonnet-4-6", [3, 15, 0.3], [1_000_000, 64_000, 1_024]],
  ["claude-opus-4-5", [5, 25, 0.5], [200_000, 64_000, 4_096]],
  ["claude-sonnet-4-5", [3, 15, 0.3], [200_000, 64_000, 1_024]],
  ["claude-haiku-4-5", [1, 5, 0.1], [200_000, 64_000, 4_096]],
  ["claude-opus-4-1", [15, 75, 1.5], [200_000, 32_000, 1_024]],
  ["claude-sonnet-4", [3, 15, 0.3], [200_000, 64_000, 1_024]],
])("%s has the prices and sizes that were published", (model, usd, sizes) => {
  const { prices, windowTokens, outputTokens, cacheMinimumTokens } = lookUpRules(model);
  expect([prices.input, prices.output, prices.cacheRead]).toEqual(usd);
  expect([windowTokens, outputTokens, cacheMinimumTokens]).toEqual(sizes);
});

test("current models bind thinking and compact on the server, older ones do neither", () => {
  const current = knownModels.filter((model) => /-5-[12]$|-5-5$/.test(model));
  expect(current).toHaveLength(7);
  for (const model of knownModels) {
    const { compacts, thinking } = lookUpRules(model);
    expect([model, compacts]).toEqual([model, current.includes(model)]);
    expect([model, thinking === "bound"]).toEqual([model, current.includes(model)]);
  }
});

test.each([
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
  ["claude-opus-4-20250514", "claude-opus-4"],
  ["claude-haiku-4-5@20251001", "claude-haiku-4-5"],
  ["claude-opus-5-5-latest", "claude-opus-5-5"],
  ["us.anthropic/claude-opus-5-5", "claude-opus-5-5"],
])("%s is %s", (snapshot, id) => {
  expect({ ...lookUpRules(snapshot), model: id }).toEqual(lookUpRules(id));
});

test.each([
  ["claude-opus-4-9", "claude-opus-5-5"],
  ["claude-haiku-7", "claude-haiku-5-5"],
  ["claude-mythos-9", "claude-fable-5-2"],
  ["claude-sonnet-6-1", "claude-sonnet-5-5"],
])("%s is not listed and is taken for %s", (model, id) => {
  expect({ ...lookUpRules(model), model: id }).toEqual(lookUpRules(id));
});

test("Haiku costs five times as much beyond 100,000 tokens", () => {
  const { prices } = lookUpRules("claude-haiku-5-5");
  const usage = { input: 100_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  expect(callCost(usage, prices)).toBeCloseTo(0.01);
  expect(callCost({ ...usage, cacheRead: 1 }, prices)).toBeCloseTo(0.05);
});

test.each<[Effort, number, number]>([
  ["low", 0, 7_999],
  ["medium", 8_000, 15_999],
  ["high", 16_000, 31_999],
  ["xhigh", 32_000, 63_999],
  ["max", 64_000, 900_000],
])("effort %s has budgets from %d to %d tokens", (effort, least, most) => {
  expect([effortWithin(least), effortWithin(most)]).toEqual([effort, effort]);
});

test("the prices of any other model are known only to its server", () => {
  expect(findPrices("claude-opus-5")?.input).toBe(5);
  expect(findPrices("gpt-5.5")).toMatchObject({ input: 5, areEstimates: true });
  expect(findPrices("llama")).toBeNull();
});

/** US dollars per million tokens of input, output and cached input. */
test.each([
  ["gpt-5.5", 5, 30, 0.5],
  ["gpt-5.5-pro", 30, 180, 30],
  ["gpt-5.4-nano", 0.2, 1.25, 0.02],
  ["gpt-5.4-mini", 0.75, 4.5, 0.075],
  ["gpt-5.4", 2.5, 15, 0.25],
  ["gpt-5.2", 1.75, 14, 0.175],
  ["gpt-5.1-codex-mini", 0.25, 2, 0.025],
  ["gpt-5-nano", 0.05, 0.4, 0.005],
  ["gpt-5-2025-08-07", 1.25, 10, 0.125],
  ["o3", 2, 8, 0.5],
  ["o4-mini", 1.1, 4.4, 0.275],
  ["gpt-6", 5, 30, 0.5],
])("%s costs what was published", (model, input, output, cacheRead) => {
  expect(findPrices(model)).toMatchObject({ input, output, cacheRead });
});
