import { expect, test } from "bun:test";
import { lazyList } from "../../src/protocol/lazy-list.ts";

const words = ["zero", "one", "two"];
const made: number[] = [];
const list = lazyList({
  get length() {
    return words.length;
  },
  at(index) {
    made.push(index);
    return words[index];
  },
});

test("a lazy list is used like an array", () => {
  expect(list).toHaveLength(3);
  expect([...list]).toEqual(["zero", "one", "two"]);
  expect(list[1]).toBe("one");
  expect([list[3], list.at(-1), list.at(3)]).toEqual([undefined, "two", undefined]);
  expect(list.slice(1)).toEqual(["one", "two"]);
  expect(list.map((word, index) => `${index} ${word}`)).toEqual(["0 zero", "1 one", "2 two"]);
  expect(list.findLastIndex((word) => word !== "two")).toBe(1);
  expect([...list.entries()]).toEqual([...words.entries()]);
  expect(list.concat(["three"])).toEqual([...words, "three"]);
  expect(Array.isArray(list)).toBe(true);
  expect(JSON.stringify(list)).toBe(JSON.stringify(words));
  expect(Object.keys(list)).toEqual(["0", "1", "2"]);
  expect([1 in list, 3 in list]).toEqual([true, false]);
});

test("it makes only requested elements, and grows", () => {
  made.length = 0;
  expect(list[2]).toBe("two");
  expect(made).toEqual([2]);
  words.push("three");
  expect(list.at(-1)).toBe("three");
});

test("it is read-only", () => {
  expect(Reflect.set(list, 0, "other")).toBe(false);
  expect(Reflect.defineProperty(list, 9, { value: "nine", configurable: true })).toBe(false);
  expect(Reflect.deleteProperty(list, 0)).toBe(false);
  expect(list[0]).toBe("zero");
});

test("a lazy list has no element after its last", () => {
  const list = lazyList({ length: 2, at: (index: number) => [5, 6][index] });
  expect([0, 1, 2].map((index) => Object.hasOwn(list, index))).toEqual([true, true, false]);
  expect([1, 2].map((index) => index in list)).toEqual([true, false]);
});
