import { expect, test } from "bun:test";
import {
  addUsage,
  callCost,
  choosePrices,
  sentBy,
  usedBy,
  type Prices,
  type Usage,
} from "../../src/protocol/model.ts";

const usage: Usage = { input: 100, cacheRead: 1_000, cacheWrite: 50, cacheWrite1h: 20, output: 7 };
const prices: Prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };

test("the window holds what was sent, cached or not, and the answer", () => {
  expect(sentBy(usage)).toBe(1_150);
  expect(usedBy(usage)).toBe(1_157);
});

test("every kind of token has its price", () => {
  // 100 * 2 + 1,000 * 0.2 + (50 - 20) * 2.5 + 20 * 4 + 7 * 10, per million.
  expect(callCost(usage, prices)).toBeCloseTo(0.000625, 12);
  const { cacheWrite1h: _, ...shortLived } = usage;
  expect(callCost(shortLived, prices)).toBeCloseTo(0.000595, 12);
});

test("a search of the web costs a cent", () => {
  const searched = callCost({ ...usage, webSearches: 3 }, prices);
  expect(searched - callCost(usage, prices)).toBeCloseTo(0.03, 12);
});

test("only a prompt longer than the limit has the prices of long prompts", () => {
  const dear = { ...prices, input: 4 };
  const list = (promptTokens: number): Prices => ({ ...prices, beyond: { ...dear, promptTokens } });
  expect(choosePrices(usage, list(1_149)).input).toBe(4);
  expect(choosePrices(usage, list(1_150)).input).toBe(2);
  expect(choosePrices(usage, prices).input).toBe(2);
});

test("usage is added field by field, with searches of the web", () => {
  const sum = { input: 200, cacheRead: 2_000, cacheWrite: 100, cacheWrite1h: 40, output: 14 };
  expect(addUsage(usage, usage)).toEqual(sum);
  const { cacheWrite1h: _, ...plain } = usage;
  const searched = { ...usage, webSearches: 2 };
  for (const [left, right, written, searches] of [
    [plain, plain, 0, undefined],
    [plain, usage, 20, undefined],
    [usage, searched, 40, 2],
    [searched, plain, 20, 2],
    [searched, searched, 40, 4],
  ] as const)
    expect(addUsage(left, right)).toMatchObject({
      cacheWrite1h: written,
      ...(searches && { webSearches: searches }),
    });
});
