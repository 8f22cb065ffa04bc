import { expect, test } from "bun:test";
import { countedKeys, kinds, newCharsByKind, OneKind } from "../../src/context/char-count.ts";
import type { CharsByKind } from "../../src/context/char-count.ts";
import { noChars, PackedChars } from "../../src/context/packed-chars.ts";
import fc from "../properties.ts";

const plain = (chars: CharsByKind) =>
  Object.fromEntries(countedKeys.map((key) => [key, chars[key]]));

const multiplied = (chars: CharsByKind, times: number): CharsByKind =>
  chars instanceof OneKind
    ? new OneKind(chars.kind, chars.chars * times)
    : {
        ...newCharsByKind(),
        ...Object.fromEntries(countedKeys.map((key) => [key, chars[key] * times])),
      };

/** Counts of several kinds, many of which are zero, or of only one kind. */
const counts = fc.oneof(
  fc
    .record(
      Object.fromEntries(countedKeys.map((key) => [key, fc.constantFrom(0, 0, 1, 2.5, 9_000)])),
    )
    .map((some): CharsByKind => ({ ...newCharsByKind(), ...some })),
  fc
    .tuple(fc.constantFrom(...kinds), fc.nat(9_000))
    .map(([kind, chars]): CharsByKind => new OneKind(kind, chars)),
);

test.each([
  ["whole", new PackedChars(), 4],
  ["divided", new PackedChars(Float64Array), 1],
] as const)(
  "%s counts are read back unchanged, from a copy too, whatever is added later",
  (_, packed, times) => {
    const some = fc.array(counts.map((one) => multiplied(one, times)));
    fc.assert(
      fc.property(some, some, some, (before, here, there) => {
        const shared = before.map((one) => packed.add(one));
        const copy = packed.copy();
        const ownPlaces = here.map((one) => packed.add(one));
        const copied = there.map((one) => copy.add(one));
        const all = (from: PackedChars, places: number[]) =>
          places.map((at) => plain(from.get(at)));
        expect(all(packed, [...shared, ...ownPlaces])).toEqual([...before, ...here].map(plain));
        expect(all(copy, [...shared, ...copied])).toEqual([...before, ...there].map(plain));
      }),
    );
  },
);

test("empty counts share a place, and a single kind stays a single kind", () => {
  const packed = new PackedChars();
  expect(packed.add(newCharsByKind())).toBe(noChars);
  expect(packed.get(packed.add({ ...newCharsByKind(), user: 3 }))).toEqual(new OneKind("user", 3));
});
