/** A note about a log's lines agrees with the lines. */

import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { eachKnownLine, toTable, type KnownLine } from "../../src/log/checked.ts";

const header = fc.record({
  number: fc.integer({ min: 1, max: 2 ** 32 + 5 }),
  parent: fc.integer({ min: 0, max: 2 ** 32 + 5 }),
  type: fc.constantFrom("user", "result", "assistant", "note"),
});
const line: fc.Arbitrary<KnownLine> = fc.record({
  header: fc.option(header),
  bytes: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

function readBack(lines: readonly KnownLine[]): KnownLine[] {
  const found: KnownLine[] = [];
  eachKnownLine(toTable(lines), (one) => found.push(one));
  return found;
}

const isLarge = (number: number): boolean => number >= 2 ** 32;

test("lines are read back; one with a number that is too large is parsed", () => {
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const kept = lines.map(({ header: one, bytes }) => ({
        header: one && !isLarge(one.number) && !isLarge(one.parent) ? one : null,
        bytes,
      }));
      expect(readBack(lines)).toEqual(kept);
    }),
  );
});

test("the largest number that is kept is the largest that fits", () => {
  const kept = (number: number) =>
    readBack([{ header: { number, parent: 0, type: "user" }, bytes: 9 }])[0]?.header?.number;
  expect(kept(2 ** 32 - 1)).toBe(2 ** 32 - 1);
  expect(kept(2 ** 32)).toBeUndefined();
});

test("types of another version are parsed", () => {
  const lines = [1, 2].map((number): KnownLine => ({
    header: { number, parent: number - 1, type: "user" },
    bytes: 9,
  }));
  const found: KnownLine[] = [];
  eachKnownLine({ ...toTable(lines), types: ["hologram"] }, (one) => found.push(one));
  expect(found).toEqual(lines.map(() => ({ header: null, bytes: 9 })));
});
