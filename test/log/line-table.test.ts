/** What a note keeps of a log's lines is what they say. */

import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { eachKnownLine, toTable, type KnownLine } from "../../src/log/line-table.ts";
import { typeNamed } from "../../src/log/parse.ts";

const id = fc.integer({ min: 0, max: 2 ** 32 + 5 }).map((number) => `e${number + 1}`);
const header = fc.record({
  id,
  parent: fc.option(id),
  type: fc.constantFrom("user", "result", "assistant", "note"),
});
const line: fc.Arbitrary<KnownLine> = fc.record({
  header: fc.option(header),
  bytes: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

function readBack(lines: readonly KnownLine[]): KnownLine[] {
  const found: KnownLine[] = [];
  eachKnownLine(toTable(lines), typeNamed, (one) => found.push(one));
  return found;
}

const isLarge = (one: string | null): boolean => Number(one?.slice(1) ?? 0) >= 2 ** 32;

test("lines are read back; one with a number that is too large is parsed", () => {
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const kept = lines.map(({ header: one, bytes }) => ({
        header: one && !isLarge(one.id) && !isLarge(one.parent) ? one : null,
        bytes,
      }));
      expect(readBack(lines)).toEqual(kept);
    }),
  );
});

test("the largest number that is kept is the largest that fits", () => {
  const idOf = (number: number) => {
    const [line] = readBack([
      { header: { id: `e${number}`, parent: null, type: "user" }, bytes: 9 },
    ]);
    return line?.header?.id;
  };
  expect(idOf(2 ** 32 - 1)).toBe("e4294967295");
  expect(idOf(2 ** 32)).toBeUndefined();
});

test("ids of another form, and types of another version, are parsed", () => {
  const user = (own: string, parent: string | null): KnownLine => ({
    header: { id: own, parent, type: "user" },
    bytes: 9,
  });
  const lines = [user("mine", null), user("e2", "mine"), user("e03", "e2"), user("e4", "e3")];
  expect(readBack(lines).map((one) => one.header?.id)).toEqual([
    undefined,
    undefined,
    undefined,
    "e4",
  ]);
  const found: KnownLine[] = [];
  eachKnownLine(
    toTable(lines),
    () => undefined,
    (one) => found.push(one),
  );
  expect(found).toEqual(lines.map(() => ({ header: null, bytes: 9 })));
});
