import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { formatEntry } from "../../src/log/parse.ts";
import type { CacheMark } from "../../src/log/search-cache.ts";
import { stepsFrom } from "../../src/log/search-steps.ts";
import { pieceChars } from "../../src/log/searchable.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { userFact } from "./facts.ts";
import { testFolder } from "./folder.ts";

const file = join(testFolder(), "log");
const start: CacheMark = { bytes: 0, pieces: 0 };
const line = (fact: Fact): string => formatEntry({ id: "e1", parent: null, at: "", ...fact });

async function stepsOf(text: string, mark = start) {
  writeFileSync(file, text);
  const handle = await open(file);
  try {
    const steps = await stepsFrom(handle, mark, null);
    return steps.map(({ place, text, next }) => [place.at, place.bytes, place.piece, text, next]);
  } finally {
    await handle.close();
  }
}

test("every complete line is a step, even one without text", async () => {
  const a = line(userFact("one"));
  const silent = line({ type: "count", tokens: 1 });
  const b = a.length + silent.length;
  expect(await stepsOf(`${a}${silent}garbage\n${a}{"torn`)).toEqual([
    [0, a.length, 0, "one", { bytes: a.length, pieces: 0 }],
    [a.length, silent.length, 0, null, { bytes: b, pieces: 0 }],
    [b, 8, 0, null, { bytes: b + 8, pieces: 0 }],
    [b + 8, a.length, 0, "one", { bytes: b + 8 + a.length, pieces: 0 }],
  ]);
  expect(await stepsOf(`${a}{"torn`, { bytes: a.length, pieces: 0 })).toEqual([]);
  expect(await stepsOf("")).toEqual([]);
});

test("a long entry is indexed piece by piece, and continued at any of them", async () => {
  const long = line(userFact(`${"a".repeat(pieceChars)}${"b".repeat(pieceChars)}c`));
  const next = line(userFact("next"));
  const end = { bytes: long.length, pieces: 0 };
  const all = [
    [0, long.length, 0, "a".repeat(pieceChars), { bytes: 0, pieces: 1 }],
    [0, long.length, 1, "b".repeat(pieceChars), { bytes: 0, pieces: 2 }],
    [0, long.length, 2, "c", end],
    [long.length, next.length, 0, "next", { bytes: long.length + next.length, pieces: 0 }],
  ];
  expect(await stepsOf(long + next)).toEqual(all);
  expect(await stepsOf(long + next, { bytes: 0, pieces: 1 })).toEqual(all.slice(1));
  expect(await stepsOf(long + next, { bytes: 0, pieces: 2 })).toEqual(all.slice(2));
  const twice = await stepsOf(long + long, { bytes: 0, pieces: 2 });
  expect(twice.map(([at, , piece]) => [at, piece])).toEqual([
    [0, 2],
    [long.length, 0],
    [long.length, 1],
    [long.length, 2],
  ]);
});

test.each([-1, 0, 1])("a line of 256 KB and %d bytes is read whole", async (more) => {
  const empty = line(userFact(""));
  const long = line(userFact("x".repeat(256 * 1024 + more - empty.length)));
  const steps = await stepsOf(`${long}${line(userFact("next"))}`);
  expect(steps[0]?.[1]).toBe(256 * 1024 + more);
  const last = steps.findLast(([at]) => at === 0);
  expect(last?.[4]).toEqual({ bytes: long.length, pieces: 0 });
});

test("a line of a megabyte is read whole", async () => {
  const long = line(userFact("x".repeat(1024 * 1024)));
  expect((await stepsOf(long)).at(-1)?.[4]).toEqual({ bytes: long.length, pieces: 0 });
});
