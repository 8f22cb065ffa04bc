import { expect, test } from "bun:test";
import { retryDelayMs } from "../../src/agent/retry.ts";
import { ModelError } from "../../src/model/model-error.ts";

const busy = new ModelError("busy", "overloaded");

test("waits double up to 32 seconds", () => {
  expect([1, 2, 3, 6, 7, 20].map((attempt) => retryDelayMs(attempt, busy, 0))).toEqual([
    1000, 2000, 4000, 32_000, 32_000, 32_000,
  ]);
});

test("chance shortens a wait by at most a quarter", () => {
  expect(retryDelayMs(1, busy, 0.999)).toBeGreaterThanOrEqual(750);
});

test("the server's own wish wins, within ten minutes", () => {
  const asks = (retryAfterMs: number) => new ModelError("busy", "wait", { retryAfterMs });
  expect(retryDelayMs(1, asks(7_500), 0.5)).toBe(7_500);
  expect(retryDelayMs(1, asks(86_400_000), 0.5)).toBe(600_000);
});
