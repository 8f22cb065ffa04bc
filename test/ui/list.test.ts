import { expect, test } from "bun:test";
import { at, emptyList, itemsOf, push, put, type List, type Pack } from "../../src/ui/list.ts";
import fc from "../properties.ts";

/** A step from an earlier version of the list: appends this many numbers, or replaces one. */
const step = fc.record({
  from: fc.nat(),
  append: fc.integer({ min: 0, max: 300 }),
  replace: fc.nat(),
});

const packs: Record<string, Pack<number>> = {
  "as they are": (chunk) => chunk,
  packed: (chunk) => ({ at: (index) => chunk[index] }),
};

for (const [name, pack] of Object.entries(packs))
  test(`every version of a list keeps its own items, with chunks ${name}`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const versions: { list: List<number>; items: number[] }[] = [
          { list: emptyList(pack), items: [] },
        ];
        let next = 0;
        for (const { from, append, replace } of steps) {
          const before = versions[from % versions.length];
          if (!before) continue;
          let { list } = before;
          const items = [...before.items];
          for (let count = 0; count < append; count++) {
            list = push(list, next);
            items.push(next++);
          }
          if (items.length > 0) {
            const place = replace % items.length;
            list = put(list, place, -next);
            items[place] = -next;
          }
          versions.push({ list, items });
        }
        for (const { list, items } of versions) {
          expect([...itemsOf(list)]).toEqual(items);
          expect(items.map((_, index) => at(list, index))).toEqual(items);
          expect(at(list, items.length)).toBeUndefined();
        }
      }),
      { numRuns: 60 },
    );
  });
