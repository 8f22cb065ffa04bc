import { expect, test } from "bun:test";
import { ByEntry } from "../../src/protocol/by-entry.ts";
import { Column } from "../../src/protocol/column.ts";
import fc from "../properties.ts";

test("a column and its copies hold what was set in each", () => {
  const writes = fc.array(fc.tuple(fc.nat(5_000), fc.integer({ min: 1, max: 9 })));
  fc.assert(
    fc.property(writes, writes, writes, (before, inCopy, after) => {
      const column = new Column(Float64Array);
      const [expected, copied] = [new Map(before), new Map([...before, ...inCopy])];
      for (const [place, value] of before) column.set(place, value);
      const copy = column.copy();
      for (const [place, value] of inCopy) copy.set(place, value);
      for (const [place, value] of after) {
        column.set(place, value);
        expected.set(place, value);
      }
      for (let place = 0; place <= 5_000; place++) {
        expect(column.get(place)).toBe(expected.get(place) ?? 0);
        expect(copy.get(place)).toBe(copied.get(place) ?? 0);
      }
    }),
    { numRuns: 20 },
  );
});

test("a number is found by the id of its entry, in whatever form", () => {
  const ids = ["e1", "e2", "e1000000000", "e01", "draft", "é1", "e1e"];
  const numbers = new ByEntry();
  for (const [index, id] of ids.entries()) numbers.set(id, index);
  expect(ids.map((id) => numbers.get(id))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(numbers.get("e3")).toBeUndefined();
  expect(numbers.get(`e${2 ** 32 + 1}`)).toBeUndefined();
  expect(numbers.has("e1")).toBe(true);
  numbers.set("e1", 9);
  expect(numbers.get("e1")).toBe(9);
});

/** A type of numbers, and how many chunks of it were made. */
function counting() {
  let made = 0;
  const type = new Proxy(Uint32Array, {
    construct(target, args) {
      made++;
      return Reflect.construct(target, args);
    },
  });
  return { type, made: () => made };
}

test("after a copy, a chunk is copied once, by the first change", () => {
  const { type, made } = counting();
  const column = new Column(type);
  for (const place of [0, 1, 2]) column.set(place, 7);
  expect(made()).toBe(1);
  const copy = column.copy();
  for (const place of [0, 1, 2]) copy.set(place, 8);
  expect(made()).toBe(2);
  expect([column.get(2), copy.get(2)]).toEqual([7, 8]);
});

test("chunks of zeros take no memory", () => {
  const { type, made } = counting();
  const column = new Column(type);
  for (let place = 0; place < 5_000; place++) column.set(place, 0);
  expect(made()).toBe(0);
  column.set(4_999, 1);
  expect([made(), column.get(4_998), column.get(4_999)]).toEqual([1, 0, 1]);
});
