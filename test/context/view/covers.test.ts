/** Covers against plain lists of rows. */

import { expect, test } from "bun:test";
import { Covers } from "../../../src/context/view/covers.ts";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import { noPrice } from "../build.ts";

const cut = (id: string): EntryOf<"cut"> => ({
  id,
  parent: null,
  at: "",
  type: "cut",
  tier: "summary",
  trigger: "auto",
  reason: "",
  changes: [],
  price: noPrice,
});

const change = { kind: "cover", span: { from: "", to: "" }, text: "Sum." } as const;

/** Covers of these rows, both included, oldest first. */
function covering(...all: [id: string, from: number, to: number, pinned?: number[]][]) {
  const covers = new Covers();
  const changed = all.map(([id, from, to, pinned = []], at) =>
    covers.add({ cut: cut(id), at, change, from, to, pinned: new Set(pinned) }),
  );
  const of = (row: number) => {
    const found = covers.of(row);
    if (!found) return null;
    const marks = `${found.isFirst ? " first" : ""}${found.preserves ? " kept" : ""}`;
    return `${found.cover.cut.id}${marks}`;
  };
  return { covers, changed, of };
}

const rows = [0, 1, 2, 3, 4, 5, 6, 7];

test("a row has the latest of its covers, whose text is in its first row", () => {
  const { of } = covering(["a", 1, 2], ["b", 4, 5], ["c", 1, 5]);
  expect(rows.map(of)).toEqual([null, "c first", "c", "c", "c", "c", null, null]);
});

test("rows that a later cover does not reach keep their own", () => {
  const { of } = covering(["late", 5, 6], ["early", 1, 2]);
  expect(rows.map(of)).toEqual([
    null,
    "early first",
    "early",
    null,
    null,
    "late first",
    "late",
    null,
  ]);
});

test("a pinned row is kept if it was pinned for every one of its covers", () => {
  const { of } = covering(["a", 1, 4, [2, 3]], ["b", 1, 6, [3, 5]]);
  expect(rows.map(of)).toEqual([null, "b first", "b", "b kept", "b", "b kept", "b", null]);
});

test("after the first row of a cover comes the one after its last, unless rows in it are kept", () => {
  const { covers } = covering(["a", 1, 3], ["b", 5, 6, [6]]);
  expect(rows.map((row) => covers.after(row))).toEqual([1, 4, 4, 4, 5, 6, 7, 8]);
});

test("a cover changes its rows, apart from those that an earlier one hides", () => {
  const { changed } = covering(["a", 2, 4], ["b", 1, 6]);
  expect(changed).toEqual([
    [2, 3, 4],
    [1, 2, 5, 6],
  ]);
});

test("without a cover, its rows have those of the covers below it", () => {
  const { covers, of } = covering(["a", 2, 3], ["b", 1, 5], ["c", 6, 7]);
  expect(covers.outermost.map(({ from }) => from)).toEqual([1, 6]);
  const [removed] = covers.remove("b");
  expect(removed).toMatchObject({ from: 1, to: 5 });
  expect(rows.map(of)).toEqual([null, null, "a first", "a", null, null, "c first", "c"]);
  expect(covers.outermost.map(({ from }) => from)).toEqual([2, 6]);
  expect(covers.remove("b")).toEqual([]);
});

test("a cover that is put back takes its old place, unless a later one overlaps it in part", () => {
  const { covers, of } = covering(["a", 2, 3], ["b", 1, 5]);
  const inner = covers.remove("a");
  expect(covers.putBack(inner)).toBe(true);
  expect(of(2)).toBe("b");
  const outer = covers.remove("b");
  covers.add({ cut: cut("c"), at: 9, change, from: 4, to: 7, pinned: new Set() });
  expect(covers.putBack(outer)).toBe(false);
  expect(rows.map(of)).toEqual([null, null, "a first", "a", "c first", "c", "c", "c"]);
});
