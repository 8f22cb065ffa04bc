/** The table returns what was stored in it. */

import { expect, test } from "bun:test";
import { EntryTable, type Header, type Place } from "../../src/log/entry-table.ts";
import { numberOf } from "../../src/protocol/by-entry.ts";
import fc from "../properties.ts";

const ids = [..."123456789"]
  .map((digit) => `e${digit}`)
  .concat("e600", "e01", "draft", "e4294967296", "e4294967297");

/** Entries with unique ids; the parent of each was added before it, or is absent. */
const entries = fc
  .tuple(
    fc.shuffledSubarray(ids),
    fc.array(fc.tuple(fc.nat(20), fc.constantFrom("user", "result", "note"), fc.nat(2 ** 32 - 1))),
  )
  .map(([names, more]) =>
    more.slice(0, names.length).map(([back, type, bytes], index): [Header, Place] => [
      { id: names[index] ?? "", parent: names.slice(0, index).at(-1 - back) ?? null, type },
      { at: 2 ** 33 + index, bytes },
    ]),
  );

const isNumbered = (id: string | null): boolean => id === null || /^e[1-9]\d{0,8}$/.test(id);

test("headers and places are read back unchanged, by index and by id", () => {
  fc.assert(
    fc.property(entries, fc.boolean(), (added, byNumber) => {
      const table = new EntryTable();
      for (const [header, place] of added) {
        const { id, parent, type } = header;
        if (byNumber && isNumbered(id) && isNumbered(parent))
          table.addNumbered({ number: numberOf(id), parent: numberOf(parent ?? ""), type }, place);
        else table.add(header, place);
      }
      expect(table.length).toBe(added.length);
      for (const [index, [header, place]] of added.entries()) {
        const { id, parent, type } = header;
        expect(table.idOf(index)).toBe(id);
        expect(table.parentIdOf(index)).toBe(parent);
        expect(table.typeOf(index)).toBe(type);
        expect(table.placeOf(index)).toEqual(place);
        expect(table.indexOf(id)).toBe(index);
        expect(ids.filter((one) => table.isAt(index, one))).toEqual([id]);
        const numbers = { number: numberOf(id), parent: numberOf(parent ?? ""), type };
        expect(table.numberedHeaderOf(index)).toEqual(
          isNumbered(id) && isNumbered(parent) ? numbers : null,
        );
      }
      const absent = ids.filter((id) => !added.some(([header]) => header.id === id));
      for (const id of absent) expect(table.indexOf(id)).toBeUndefined();
    }),
  );
});

test("an id is not mistaken for one requested earlier", () => {
  const table = new EntryTable();
  for (let n = 1; n <= 600; n++)
    table.add(
      { id: `e${n}`, parent: n === 1 ? null : `e${n - 1}`, type: "user" },
      { at: n, bytes: 1 },
    );
  for (const index of [3, 515, 3]) expect(table.idOf(index)).toBe(`e${index + 1}`);
});
