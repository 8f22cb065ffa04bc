import { expect, test } from "bun:test";
import { KeptLines } from "../../../src/ui/transcript/source.ts";

const makeLines = (count: number): string[] => Array.from({ length: count }, (_, n) => `line ${n}`);

test("lines are kept until something that they depend on changes", () => {
  const kept = new KeptLines();
  const lines = makeLines(3);
  kept.set("a", { stamp: "folded", lines });
  expect(kept.get("a", "folded")).toBe(lines);
  expect(kept.get("a", "open")).toBeUndefined();
  expect(kept.get("b", "folded")).toBeUndefined();
});

test("only recently shown lines of a long transcript are kept", () => {
  const kept = new KeptLines();
  const isKept = (item: number): boolean => kept.get(`${item}`, "") !== undefined;
  for (let item = 0; item < 1_000; item++) {
    kept.begin();
    kept.set(`${item}`, { stamp: "", lines: makeLines(50) });
    expect(isKept(0)).toBe(true);
  }
  const all = Array.from({ length: 1_000 }, (_, item) => item);
  expect(all.filter(isKept).length).toBeLessThan(100);
  expect(isKept(999)).toBe(true);
});

test("items shown together are kept together, however long they are", () => {
  const kept = new KeptLines();
  const shown = ["a", "b", "c"];
  for (const key of shown) kept.set(key, { stamp: "", lines: makeLines(5_000) });
  for (let frame = 0; frame < 5; frame++) {
    kept.begin();
    for (const key of shown) expect(kept.get(key, "")).toHaveLength(5_000);
  }
});

test("scrolling through all items does not keep them all", () => {
  const kept = new KeptLines();
  for (let item = 0; item < 10_000; item++) {
    kept.begin();
    kept.set(`${item}`, { stamp: "", lines: [] });
  }
  expect(kept.get("0", "")).toBeUndefined();
  expect(kept.get("9999", "")).toEqual([]);
});
