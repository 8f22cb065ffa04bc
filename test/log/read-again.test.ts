/** How often old entries are read from the file again. */

import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileWindow } from "../../src/log/file-window.ts";
import { memoryLimits, OldEntries } from "../../src/log/old-entries.ts";
import { formatEntry } from "../../src/log/parse.ts";
import { openLog } from "../../src/log/store.ts";
import { userFact } from "./facts.ts";
import { testFolder } from "./folder.ts";

const root = testFolder();
let serial = 0;

const usual = { ...memoryLimits };
afterEach(() => {
  Object.assign(memoryLimits, usual);
  mock.restore();
});

const at = "2026-01-01T00:00:00.000Z";
const lineOf = (n: number): string =>
  formatEntry({ id: `e${1_000 + n}`, parent: n === 0 ? null : `e${999 + n}`, at, ...userFact("") });

/** A log of which nothing stays in memory but what `limits` say, and how often it was read. */
function logOf(count: number, limits: Partial<typeof usual> = {}) {
  const file = join(root, `${++serial}.jsonl`);
  writeFileSync(file, Array.from({ length: count }, (_, n) => lineOf(n)).join(""));
  Object.assign(memoryLimits, { whole: 0, opening: 0, again: 0, ...limits });
  const log = openLog(file, { readOnly: true });
  const reads = spyOn(FileWindow.prototype, "bytes");
  const readsOf = (work: () => void): number => {
    reads.mockClear();
    work();
    return reads.mock.calls.length;
  };
  return { log, readsOf };
}

test("entries visited in order are read 64 together, by two readers near each other, too", () => {
  const { log, readsOf } = logOf(256);
  const visit = (): void => {
    for (let n = 0; n < 256 + 60; n++) {
      for (const place of [n, n - 60].filter((one) => one >= 0 && one < 256))
        expect(log.whole(place)?.id).toBe(`e${1_000 + place}`);
    }
  };
  expect(readsOf(visit)).toBe(4);
});

test("an old entry that is needed again is read once, as long as the limit allows", () => {
  const perEntry = 1_000;
  const { log, readsOf } = logOf(8, { perEntry, again: 3 * (perEntry + lineOf(1).length) });
  const look = (...places: number[]): void =>
    places.forEach((place) => expect(log.entries[place]?.at).toBe(at));
  expect(readsOf(() => look(1, 2, 3, 1, 2, 3, 2, 1))).toBe(3);
  expect(readsOf(() => look(4, 2, 3, 4))).toBe(1);
  expect(readsOf(() => look(1, 3, 4, 1))).toBe(1);
  for (const three of [
    [5, 6, 7],
    [1, 2, 3],
    [4, 5, 6],
    [7, 1, 2],
  ])
    expect(readsOf(() => look(...three, ...three))).toBe(3);
});

test("of old entries, at least the latest stays, and what stays in memory is not read", () => {
  const { log, readsOf } = logOf(4);
  const look = (...places: number[]): void =>
    places.forEach((place) => expect(log.entries[place]?.at).toBe(at));
  expect(readsOf(() => look(1, 1, 2, 2, 1))).toBe(3);
  const newest = logOf(4, { whole: usual.whole, opening: usual.opening });
  expect(newest.readsOf(() => newest.log.whole(2))).toBe(0);
});

test("there is no entry before the first or after the last", () => {
  const { log } = logOf(3);
  const old = new OldEntries(log.file);
  old.read({ id: "e1", parent: null, at, ...userFact("") }, { at: 0, bytes: 1 });
  expect([old.at(-1), old.at(1), old.whole(-1), old.whole(1)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
