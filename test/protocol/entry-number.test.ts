import { expect, test } from "bun:test";
import { numberOf } from "../../src/protocol/by-entry.ts";

test.each([
  ["e1", 1],
  ["e9", 9],
  ["e10", 10],
  ["e4096", 4_096],
  ["e999999999999999", 999_999_999_999_999],
  ["e1000000000000000", 0],
  ["e0", 0],
  ["e01", 0],
  ["e", 0],
  ["", 0],
  ["12", 0],
  ["f12", 0],
  ["e1/", 0],
  ["e1:", 0],
  ["e-1", 0],
])("the number in %j is %d", (id, number) => {
  expect(numberOf(id)).toBe(number);
});
