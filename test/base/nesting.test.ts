import { expect, test } from "bun:test";
import { isTooDeep } from "../../src/base/guards.ts";

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + 1 + "]".repeat(levels));

test("a value is too deep within more than 100 lists or objects", () => {
  expect(isTooDeep(nested(100))).toBe(false);
  expect(isTooDeep(nested(101))).toBe(true);
  expect(isTooDeep({ first: "", rest: nested(99) })).toBe(false);
  expect(isTooDeep({ first: "", rest: nested(100) })).toBe(true);
  expect(isTooDeep(Array(1_000).fill({ a: [] }))).toBe(false);
});
