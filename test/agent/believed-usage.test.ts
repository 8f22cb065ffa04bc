import { expect, test } from "bun:test";
import { believed } from "../../src/agent/call.ts";
import { noUsage, sentBy } from "../../src/protocol/model.ts";
import { rules } from "./scripted.ts";

const usage = (input: number, cacheRead = 0) => ({ ...noUsage, input, cacheRead, output: 10 });

test.each([
  ["what was estimated", 9_000, 10_000, true],
  ["half of it", 5_000, 10_000, true],
  ["four times as much, as in other scripts", 40_000, 10_000, true],
  ["a small figure for a large request", 50, 10_000, false],
  ["a small figure for a small request", 50, 200, true],
  ["more than the window", 130_000, 90_000, false],
  ["ten windows", 1_000_000, 90_000, false],
  ["a number without sense", 10 ** 15, 10_000, false],
  ["nothing", 0, 10_000, true],
])("%s", (_, sent, expected, isBelieved) => {
  const used = believed(usage(sent), expected, rules);
  expect(sentBy(used)).toBe(isBelieved ? sent : 0);
  expect(used.output).toBe(10);
});

test("tokens from the cache count, too", () => {
  expect(sentBy(believed(usage(10, 9_000), 10_000, rules))).toBe(9_010);
});

test("an answer that is longer than the window is not believed", () => {
  expect(believed({ ...usage(9_000), output: 10 ** 15 }, 10_000, rules)).toEqual({
    ...noUsage,
    input: 9_000,
  });
});
