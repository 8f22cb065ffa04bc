import { expect, test } from "bun:test";
import { RowEdits } from "../../../src/context/view/edits.ts";
import type { Change, EntryOf } from "../../../src/protocol/entry.ts";
import fc from "../../properties.ts";
import { noPrice } from "../build.ts";

type PointChange = Exclude<Change, { kind: "cover" }>;

const rows = [0, 1, 2, 1_500];
const idOf = (row: number): string => `e${row}`;

const header = (id: string) => ({ id, parent: null, at: "" });

const change = fc.oneof(
  fc.record({ row: fc.constantFrom(...rows), text: fc.string() }),
  fc.record({ row: fc.constantFrom(...rows), toolUse: fc.constantFrom("a", "b"), n: fc.nat() }),
);

/** Edits rows in turn: each cut makes some changes. */
const cuts = fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 6 }).map((all) =>
  all.map((some, at) => {
    const changes = some.map((one): PointChange => {
      const entry = idOf(one.row);
      return "text" in one
        ? { kind: "replace", entry, text: one.text }
        : { kind: "input", entry, toolUse: one.toolUse, input: { n: one.n } };
    });
    const why = { tier: "manual", trigger: "command", reason: "", price: noPrice } as const;
    const cut: EntryOf<"cut"> = { ...header(`c${at}`), type: "cut", ...why, changes };
    return { cut, changes };
  }),
);

test("a row shows the latest of its edits that was not undone", () => {
  const undone = fc.array(fc.tuple(fc.nat(5), fc.option(fc.constantFrom(...rows))));
  fc.assert(
    fc.property(cuts, undone, (made, restores) => {
      const edits = new RowEdits();
      for (const { cut, changes } of made)
        for (const one of changes) edits.add(Number(one.entry.slice(1)), cut, one);
      for (const [at, row] of restores) {
        const cut = made[at]?.cut;
        if (!cut) continue;
        const restore: EntryOf<"restore"> = {
          ...header("r"),
          type: "restore",
          cut: cut.id,
          ...(row === null ? {} : { entry: idOf(row) }),
          price: noPrice,
        };
        edits.restores.add(restore, cut);
      }
      for (const row of rows) {
        const isUndone = (at: number) =>
          restores.some(([of, only]) => of === at && (only === null || only === row));
        const own = made.flatMap(({ cut, changes }, at) =>
          changes.flatMap((one) => (one.entry === idOf(row) ? [{ cut, one, at }] : [])),
        );
        const active = own.filter(({ at }) => !isUndone(at));
        expect(edits.has(row)).toBe(own.length > 0);
        const { text, by, inputs } = edits.displayOf(row, idOf(row));
        const texts = active.flatMap(({ one }) => (one.kind === "replace" ? [one.text] : []));
        const given = active.flatMap(({ one }) =>
          one.kind === "input" ? [[one.toolUse, one.input] as const] : [],
        );
        expect([text, by]).toEqual([texts.at(-1), active.at(-1)?.cut.id]);
        expect(inputs).toEqual(new Map(given));
      }
      for (const { cut, changes } of made)
        expect(new Set(edits.rowsOf(cut).map(idOf))).toEqual(
          new Set(changes.map(({ entry }) => entry)),
        );
    }),
  );
});
