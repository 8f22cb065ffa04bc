import { expect, test } from "bun:test";
import { PrefixFold } from "../../src/protocol/prefix-fold.ts";
import fc from "../properties.ts";

type Item = { name: number };
const items: readonly Item[] = Array.from({ length: 6 }, (_, name) => ({ name }));
const lists = fc.array(fc.array(fc.constantFrom(...items), { maxLength: 12 }), { maxLength: 12 });

const joined = () =>
  new PrefixFold<Item, string>("", (text, { name }, index, before) => {
    return `${text} ${index}:${before?.name}>${name}`;
  });

test("for any sequence of lists, it gives what a new fold gives", () => {
  fc.assert(
    fc.property(lists, (all) => {
      const kept = joined();
      for (const list of all) expect(kept.over(list)).toBe(joined().over(list));
    }),
  );
});

test("it visits only items after the shared start", () => {
  const visited: number[] = [];
  const fold = new PrefixFold<Item, number>(0, (sum, { name }) => {
    visited.push(name);
    return sum + name;
  });
  expect(fold.over(items.slice(0, 4))).toBe(6);
  expect(fold.over(items)).toBe(15);
  expect(visited).toEqual([0, 1, 2, 3, 4, 5]);
  expect(fold.over(items.slice(0, 2))).toBe(1);
  expect(visited).toHaveLength(6);
});

test("an item whose visit failed is visited again", () => {
  let isWhole = false;
  const fold = new PrefixFold<Item, number>(0, (sum, { name }) => {
    if (name === 3 && !isWhole) throw new Error("not yet");
    return sum + name;
  });
  expect(() => fold.over(items)).toThrow("not yet");
  isWhole = true;
  expect(fold.over(items)).toBe(15);
});
