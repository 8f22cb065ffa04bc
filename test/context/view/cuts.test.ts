import { expect, test } from "bun:test";
import { Cuts, ownRows, type Cover } from "../../../src/context/view/cuts.ts";
import type { Entry, EntryId, EntryOf } from "../../../src/protocol/entry.ts";
import { noPrice } from "../build.ts";

const user = (id: EntryId): Entry => {
  return { id, parent: null, at: "", type: "user", content: [] };
};

const summary = (id: EntryId, from: EntryId, to: EntryId): EntryOf<"cut"> => ({
  id,
  parent: null,
  at: "",
  type: "cut",
  tier: "summary",
  trigger: "auto",
  reason: "",
  changes: [{ kind: "cover", span: { from, to }, text: `Summary ${id}.` }],
  price: noPrice,
});

const undo = (cut: EntryId): EntryOf<"restore"> => {
  return { id: "e15", parent: null, at: "", type: "restore", cut, price: noPrice };
};

/** Messages e0, e1, ..., of which these rows are pinned. */
const session = (...pinned: number[]): Cuts =>
  new Cuts({
    indexOf: (id) => Number(id.slice(1)),
    entryAt: (row) => (row > 100_010 ? undefined : user(`e${row}`)),
    isOrphan: () => false,
    pinnedRows: new Set(pinned),
  });

function apply(cuts: Cuts, cut: EntryOf<"cut">): readonly Cover[] {
  const changed = cuts.apply(cut);
  if (typeof changed === "string") throw new Error(changed);
  return changed.covers;
}

const listRows = (covers: readonly Cover[]): number[] =>
  covers.flatMap((cover) => [...ownRows(cover)]);

test("a summary over an earlier one changes what came after it, its text and its quotes alone", () => {
  const cuts = session(5_000);
  apply(cuts, summary("e100000", "e1", "e99999"));
  const outer = apply(cuts, summary("e100004", "e1", "e100003"));
  expect(listRows(outer)).toEqual([1, 5_000, 100_000, 100_001, 100_002, 100_003]);
});

test("undoing a summary changes the same rows, and those of the next one only once that is undone", () => {
  const cuts = session();
  apply(cuts, summary("e10", "e1", "e9"));
  apply(cuts, summary("e14", "e1", "e13"));
  const undone = cuts.restore(undo("e14"));
  if (typeof undone === "string") throw new Error(undone);
  expect(listRows(undone.covers)).toEqual([1, 10, 11, 12, 13]);
  expect(cuts.findCover(5)?.cover.cut.id).toBe("e10");
});

test("summaries of one cut that overlap are rejected together", () => {
  const cuts = session();
  const [first, second] = [summary("e9", "e1", "e4"), summary("e9", "e3", "e6")];
  const both = { ...first, changes: [...first.changes, ...second.changes] };
  expect(cuts.apply(both)).toBe("span e3-e6 overlaps an earlier one");
  expect(cuts.covers).toEqual([]);
  expect(cuts.standing).toEqual([]);
});
