import { expect, test } from "bun:test";
import type { Effort } from "../../src/protocol/model.ts";
import { effortWithin } from "../../src/model/catalog.ts";

test.each<[number, Effort]>([
  [0, "low"],
  [4_000, "low"],
  [7_999, "low"],
  [8_000, "medium"],
  [16_000, "high"],
  [31_999, "high"],
  [32_000, "xhigh"],
  [63_999, "xhigh"],
  [64_000, "max"],
])("a budget of %d tokens is the effort %s", (tokens, effort) => {
  expect(effortWithin(tokens)).toBe(effort);
});
