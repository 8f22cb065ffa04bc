import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  cacheFilesOf,
  isBusy,
  openCache,
  removeCache,
  SearchCache,
  type IndexStep,
} from "../../src/log/search-cache.ts";
import { testFolder } from "./folder.ts";

const root = testFolder();
const start = { bytes: 0, pieces: 0 };

/** Steps with one line of ten bytes each, from line `from` on. */
const steps = (texts: readonly (string | null)[], from = 0): IndexStep[] =>
  texts.map((text, index) => {
    const at = (from + index) * 10;
    return { place: { at, bytes: 10, piece: 0 }, text, next: { bytes: at + 10, pieces: 0 } };
  });

test("progress moves with the steps, and only from where it is", () => {
  const cache = new SearchCache(":memory:", "log");
  expect(cache.mark).toEqual(start);
  expect(cache.advance(start, steps(["apple", null, "apple pie"]))).toBe(true);
  expect(cache.mark).toEqual({ bytes: 30, pieces: 0 });
  expect(
    cache
      .find('"apple"', 9)
      .map(({ at }) => at)
      .sort(),
  ).toEqual([0, 20]);
  expect(cache.find('"pie"', 9)).toEqual([
    { at: 20, bytes: 10, piece: 0, score: expect.any(Number) },
  ]);
  const other = steps(["banana"], 3);
  for (const mark of [start, { bytes: 30, pieces: 1 }, { bytes: 20, pieces: 0 }]) {
    expect(cache.advance(mark, other)).toBe(false);
  }
  expect(cache.find('"banana"', 9)).toEqual([]);
  expect(cache.advance({ bytes: 30, pieces: 0 }, other)).toBe(true);
  expect(cache.find('"banana"', 9)).toHaveLength(1);
  cache.close();
});

test("better matches come first, and higher scores are better", () => {
  const cache = new SearchCache(":memory:", "log");
  const filler = "other words ".repeat(50);
  cache.advance(start, steps([`needle ${filler}`, "needle", filler, filler]));
  const found = cache.find('"needle"', 9);
  expect(found.map(({ at }) => at)).toEqual([10, 0]);
  expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? 0);
  expect(cache.find('"needle"', 1).map(({ at }) => at)).toEqual([10]);
  cache.close();
});

test("for words in 3,000 places or more the newest come first", () => {
  const cache = new SearchCache(":memory:", "log");
  const filler = "other words ".repeat(50);
  const common = Array.from({ length: 2_999 }, (_, at) => (at === 7 ? "word" : `word ${filler}`));
  cache.advance(start, steps(common));
  expect(cache.find('"word"', 1).map(({ at }) => at)).toEqual([70]);
  cache.advance({ bytes: 29_990, pieces: 0 }, steps([`word ${filler}`], 2_999));
  expect(cache.find('"word"', 2).map(({ at }) => at)).toEqual([29_990, 29_980]);
  cache.close();
});

test("an index is kept for its log, and rebuilt for another one or an older schema", () => {
  const log = join(root, "kept.jsonl");
  const [file = ""] = cacheFilesOf(log);
  const marks = (stamp: string): number => {
    const cache = openCache(log, stamp);
    const { bytes } = cache.mark;
    cache.advance(cache.mark, steps(["apple"], bytes / 10));
    cache.close();
    return bytes;
  };
  expect([marks("a"), marks("a"), marks("b"), marks("b")]).toEqual([0, 10, 0, 10]);
  const db = new Database(file);
  db.run("PRAGMA user_version = 1");
  db.close();
  expect([marks("b"), marks("b")]).toEqual([0, 10]);
  removeCache(log);
  expect(cacheFilesOf(log).filter((name) => existsSync(name))).toEqual([]);
});

test("a file that is not an index is refused", () => {
  const file = join(root, "foreign.sqlite");
  const db = new Database(file, { create: true });
  db.run("PRAGMA user_version = 2");
  db.close();
  expect(() => new SearchCache(file, "a")).toThrow();
});

test("an index that another process is writing is not replaced", () => {
  const log = join(root, "busy.jsonl");
  const cache = openCache(log, "a");
  cache.advance(start, steps(["apple"]));
  const other = new Database(cacheFilesOf(log)[0] ?? "");
  other.run("BEGIN IMMEDIATE");
  let error: unknown;
  try {
    cache.advance(cache.mark, steps(["pear"], 1));
  } catch (caught) {
    error = caught;
  }
  expect(isBusy(error)).toBe(true);
  expect(isBusy(new Error("SQLITE_BUSY"))).toBe(false);
  const fileNow = () => statSync(cacheFilesOf(log)[0] ?? "").ino;
  const file = fileNow();
  const inMemory = openCache(log, "a");
  expect(inMemory.mark).toEqual(start);
  expect(fileNow()).toBe(file);
  inMemory.close();
  other.run("COMMIT");
  other.close();
  expect(cache.mark).toEqual({ bytes: 10, pieces: 0 });
  cache.close();
});

test("an error that SQLite reports for another reason is not busy", () => {
  const file = join(root, "garbage.sqlite");
  writeFileSync(file, "not a database, but long enough to be taken for one".repeat(100));
  let error: unknown;
  try {
    new Database(file).query("SELECT * FROM sqlite_master").all();
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(Error);
  expect(isBusy(error)).toBe(false);
});
