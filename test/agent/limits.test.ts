import { expect, test } from "bun:test";
import { limitReached } from "../../src/agent/limits.ts";

const limits = { maxCalls: 2, maxUsd: 0.5 };

test.each([
  [{ calls: 1, usd: 0.49 }, true, null],
  [{ calls: 2, usd: 0.49 }, false, null],
  [{ calls: 2, usd: 0.49 }, true, "The limit of 2 calls is reached."],
  [{ calls: 1, usd: 0.5 }, false, "The run has cost $0.5000; the limit is $0.5."],
  [{ calls: 2, usd: 0.5 }, true, "The run has cost $0.5000; the limit is $0.5."],
])("%j, another call follows: %p", (spent, continues, message) => {
  expect(limitReached(limits, spent, continues)?.message ?? null).toBe(message);
});

test("the end names its limit; without limits there is none", () => {
  expect(limitReached(limits, { calls: 9, usd: 0 }, true)?.limit).toBe("turns");
  expect(limitReached(limits, { calls: 9, usd: 9 }, true)?.limit).toBe("budget");
  expect(limitReached({}, { calls: 1e6, usd: 1e6 }, true)).toBeNull();
  expect(limitReached({ maxCalls: 1 }, { calls: 1, usd: 0 }, true)?.message).toContain("1 call ");
});
