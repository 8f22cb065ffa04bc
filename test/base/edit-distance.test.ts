import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { editDistance } from "../../src/base/edit-distance.ts";

test.each([
  ["", "", 0],
  ["model", "model", 0],
  ["modle", "model", 1],
  ["omdel", "model", 1],
  ["mode", "model", 1],
  ["models", "model", 1],
  ["yodel", "model", 1],
  ["kitten", "sitting", 3],
])("%j to %j: %d", (a, b, distance) => {
  expect(editDistance(a, b, 10)).toBe(distance);
  expect(editDistance(b, a, 10)).toBe(distance);
  expect(editDistance(a, b, distance)).toBe(distance);
  expect(editDistance(a, b, distance - 1)).toBeNull();
});

test("a limit never changes a distance within it", () => {
  const word = fc.string({ maxLength: 8, unit: fc.constantFrom("a", "b", "c") });
  fc.assert(
    fc.property(word, word, fc.nat(8), (a, b, atMost) => {
      const distance = editDistance(a, b, 99) ?? 0;
      expect(editDistance(a, b, atMost)).toBe(distance <= atMost ? distance : null);
    }),
  );
});

test("very long texts are not compared", () => {
  expect(editDistance("a".repeat(501), "a".repeat(501), 3)).toBeNull();
});
