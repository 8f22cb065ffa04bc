import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "../properties.ts";
import { SearchIndex } from "../../src/log/search.ts";
import type { ResultBlock } from "../../src/protocol/block.ts";
import { createLog, openLog, type LogStore } from "../../src/log/store.ts";
import { assistantFact, resultFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "./folder.ts";
import { openFiles } from "./open-files.ts";

const root = testFolder();
let serial = 0;
const newLog = (): LogStore => createLog(root, `s${++serial}`);
const cacheOf = (log: LogStore) => join(root, `${log.session}.fts.sqlite`);

async function conversation(): Promise<LogStore> {
  const log = newLog();
  await log.append(sessionFact());
  await log.append(userFact("Where is the context meter drawn?"));
  await log.append(assistantFact("I look for it.", ["grep meter-line src"]));
  await log.append(
    resultFact("grep meter-line src", "src/ui/status.ts:40 drawContextMeter(reading)"),
  );
  await log.append(userFact("Grüße an die Übersetzung"));
  return log;
}

async function found(log: LogStore, query: string): Promise<string[]> {
  const index = new SearchIndex(log.file);
  await index.follow();
  const hits = await index.search(query);
  await index.close();
  return hits.map(({ entry }) => entry).sort();
}

test("finds words, prefixes, parts of names, arguments and results", async () => {
  const log = await conversation();
  await log.close();
  expect(await found(log, "context METER")).toEqual(["e2", "e4"]);
  expect(await found(log, "draw")).toEqual(["e2", "e4"]);
  expect(await found(log, "drawContextMeter")).toEqual(["e4"]);
  expect(await found(log, "src/ui/status.ts")).toEqual(["e4"]);
  expect(await found(log, "meter-line")).toEqual(["e3"]);
  expect(await found(log, "übersetzung")).toEqual(["e5"]);
  expect(await found(log, "absent")).toEqual([]);
});

test("finds entries with some of the words if none has all", async () => {
  const log = await conversation();
  await log.close();
  expect(await found(log, "drawn elsewhere")).toEqual(["e2"]);
});

test("a hit has its time, its type and the words in context", async () => {
  const log = await conversation();
  const index = new SearchIndex(log.file);
  await index.follow();
  const [hit] = await index.search("status.ts");
  expect(hit).toMatchObject({ entry: "e4", type: "result", at: log.get("e4")?.at ?? "" });
  expect(hit?.snippet).toContain("src/ui/status.ts:40");
  await Promise.all([index.close(), log.close()]);
});

test("finds entries appended later, after the next follow", async () => {
  const log = await conversation();
  const index = new SearchIndex(log.file);
  await index.follow();
  expect(await index.search("zeppelin")).toEqual([]);
  await log.append(userFact("a zeppelin"));
  await Promise.all([index.follow(), index.follow()]);
  expect((await index.search("zeppelin")).map(({ entry }) => entry)).toEqual(["e6"]);
  await Promise.all([index.close(), log.close()]);
});

test("an entry of many pieces is one hit and shows the right piece", async () => {
  const log = newLog();
  await log.append(userFact(`${"needle in the first piece ".repeat(2_000)} and a haystack`));
  await log.append(userFact("needle"));
  await log.close();
  expect(await found(log, "needle")).toEqual(["e1", "e2"]);
  const index = new SearchIndex(log.file);
  expect((await index.search("haystack"))[0]?.snippet).toContain("and a haystack");
  const scores = (await index.search("needle")).map(({ score }) => score);
  expect(scores[0]).toBeGreaterThan(scores[1] ?? Infinity);
  await index.close();
});

test("an index that is removed, damaged or of another log is rebuilt", async () => {
  const log = await conversation();
  await log.close();
  const damages: (() => void)[] = [
    () => rmSync(cacheOf(log)),
    () => writeFileSync(cacheOf(log), "no database at all, but long enough to be one".repeat(200)),
    () => truncateSync(cacheOf(log), statSync(cacheOf(log)).size / 2),
    () => writeFileSync(cacheOf(log), ""),
  ];
  expect(await found(log, "drawn")).toEqual(["e2"]);
  for (const damage of damages) {
    damage();
    expect(await found(log, "drawn")).toEqual(["e2"]);
  }
  const other = newLog();
  await other.append(userFact("quite another log"));
  await other.close();
  writeFileSync(cacheOf(other), await Bun.file(cacheOf(log)).bytes());
  expect(await found(other, "another")).toEqual(["e1"]);
  expect(await found(other, "drawn")).toEqual([]);
});

test("the index of another log is known by the first line, however long that is", async () => {
  const [log, longer] = [newLog(), newLog()];
  for (const [one, words] of [
    [log, ["drawn"]],
    [longer, ["another", "and more", "and still more"]],
  ] as const) {
    await one.append({ ...sessionFact(), session: one.session, system: "x".repeat(900) });
    for (const word of words) await one.append(userFact(word));
    await one.close();
  }
  expect(await found(log, "drawn")).toEqual(["e2"]);
  writeFileSync(cacheOf(longer), await Bun.file(cacheOf(log)).bytes());
  expect(await found(longer, "another")).toEqual(["e2"]);
  expect(await found(longer, "drawn")).toEqual([]);
});

test("a log that became shorter is indexed again", async () => {
  const log = await conversation();
  await log.close();
  expect(await found(log, "Grüße")).toEqual(["e5"]);
  const text = await Bun.file(log.file).text();
  writeFileSync(log.file, text.split("\n").slice(0, 2).join("\n") + "\n");
  expect(await found(log, "drawn")).toEqual(["e2"]);
  expect(await found(log, "Grüße")).toEqual([]);
});

test("the index is kept in memory when it cannot be stored on disk", async () => {
  const log = await conversation();
  await log.close();
  // A folder in place of the index file can neither be opened nor removed as a file.
  const blocked = cacheOf(log);
  rmSync(blocked, { force: true });
  mkdirSync(join(blocked, "x"), { recursive: true });
  expect(await found(log, "drawn")).toEqual(["e2"]);
  expect(readdirSync(blocked)).toEqual(["x"]);
});

test("two indexers of the same log do not disturb each other", async () => {
  const log = newLog();
  await Promise.all(
    Array.from({ length: 300 }, (_, at) => log.append(userFact(`word${at} `.repeat(400)))),
  );
  await log.close();
  const both = [new SearchIndex(log.file), new SearchIndex(log.file)];
  await Promise.all(both.map((index) => index.follow()));
  for (const index of both) {
    expect((await index.search("word299")).map(({ entry }) => entry)).toEqual(["e300"]);
    expect(await index.search("word", 1_000)).toHaveLength(300);
    await index.close();
  }
});

test("an index that another process is writing is not deleted", async () => {
  const log = await conversation();
  const index = new SearchIndex(log.file);
  await index.follow();
  const { ino } = statSync(cacheOf(log));
  await log.append(userFact("a zeppelin"));
  const other = new Database(cacheOf(log));
  other.run("BEGIN IMMEDIATE");
  const following = index.follow();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  other.run("COMMIT");
  other.close();
  await following;
  expect((await index.search("zeppelin")).map(({ entry }) => entry)).toEqual(["e6"]);
  expect(statSync(cacheOf(log)).ino).toBe(ino);
  await Promise.all([index.close(), log.close()]);
});

test("indexing stops when aborted and continues from there", async () => {
  const log = newLog();
  await Promise.all(
    Array.from({ length: 400 }, (_, at) => log.append(userFact(`word${at} `.repeat(400)))),
  );
  await log.close();
  const index = new SearchIndex(log.file);
  const stop = new AbortController();
  const following = index.follow({ signal: stop.signal });
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await following;
  expect((await index.search("word", 1_000)).length).toBeLessThan(400);
  const shares: number[] = [];
  await index.follow({ progress: (done, of) => void shares.push(done / of) });
  expect(await index.search("word", 1_000)).toHaveLength(400);
  expect(shares.length).toBeGreaterThan(1);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBeLessThan(1);
  await index.close();
});

test("an empty log is an error; the index is readable by its owner only", async () => {
  const log = newLog();
  const index = new SearchIndex(log.file);
  await expect(index.follow()).rejects.toThrow("cannot be searched: it has no entries yet");
  await log.append(userFact("now"));
  await index.follow();
  expect(existsSync(cacheOf(log))).toBe(true);
  for (const name of readdirSync(root).filter((name) => name.startsWith(`${log.session}.fts`))) {
    expect(statSync(join(root, name)).mode & 0o777).toBe(0o600);
  }
  await Promise.all([index.close(), log.close()]);
});

test("every query is valid", async () => {
  const log = await conversation();
  await log.close();
  const index = new SearchIndex(log.file);
  await index.follow();
  const query = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.stringMatching(/^[a-z"*():^{}+\- ANDORNOTEAR]{0,30}$/),
  );
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      expect(Array.isArray(await index.search(text))).toBe(true);
    }),
    { numRuns: 300 },
  );
  await index.close();
});

test("the limit counts entries, not pieces", async () => {
  const log = newLog();
  // Each has several chunks that contain the word.
  await Promise.all(
    Array.from({ length: 10 }, () => log.append(userFact("needle ".repeat(3_000)))),
  );
  await log.close();
  const index = new SearchIndex(log.file);
  await index.follow();
  expect(await index.search("needle", 0)).toEqual([]);
  expect(await index.search("needle", 1)).toHaveLength(1);
  expect(await index.search("needle", 4)).toHaveLength(4);
  await index.close();
  const short = newLog();
  await Promise.all(Array.from({ length: 30 }, () => short.append(userFact("needle"))));
  await short.close();
  const other = new SearchIndex(short.file);
  await other.follow();
  expect(await other.search("needle")).toHaveLength(20);
  await other.close();
});

test("one entry with all the words is better than many with some", async () => {
  const log = newLog();
  const texts = ["apple", "pear", "apple pear", "pear"];
  await Promise.all(texts.map((text) => log.append(userFact(text))));
  await log.close();
  expect(await found(log, "apple pear")).toEqual(["e3"]);
});

test("searching for what is not there leaves an index of it in place", async () => {
  const log = await conversation();
  await log.close();
  await found(log, "drawn");
  rmSync(log.file);
  const index = new SearchIndex(log.file);
  await expect(index.search("drawn")).rejects.toThrow("it has no entries yet");
  expect(existsSync(cacheOf(log))).toBe(true);
  await index.close();
});

test("an index can be searched while another process writes to it", async () => {
  const log = await conversation();
  await log.close();
  await found(log, "drawn");
  const index = new SearchIndex(log.file);
  expect(await index.search("drawn")).toHaveLength(1);
  const writer = new Database(cacheOf(log));
  writer.run("BEGIN EXCLUSIVE");
  expect(await index.search("drawn")).toHaveLength(1);
  writer.close();
  await index.close();
});

test("of a large result the first 4 MB of its file are searched, of a file elsewhere nothing", async () => {
  const results = join(root, "results");
  mkdirSync(results);
  const filler = "x".repeat(1023);
  const text = `early\n${`${filler}\n`.repeat(4 * 1024)}late\n`;
  writeFileSync(join(results, "1.txt"), text);
  writeFileSync(join(root, "elsewhere.txt"), "secret words, longer than the preview of the result");
  const log = newLog();
  const content: ResultBlock[] = [{ type: "text", text: "preview" }];
  for (const file of [
    join(results, "1.txt"),
    join(root, "elsewhere.txt"),
    join(results, "gone.txt"),
  ]) {
    const about = { toolUse: file, tool: "Bash", bytes: 5_000_000, lines: 4_098 };
    await log.append({ type: "result", ...about, content, file });
  }
  await log.close();
  const index = new SearchIndex(log.file, results);
  await index.follow();
  const entriesWith = async (query: string): Promise<string[]> =>
    (await index.search(query)).map(({ entry }) => entry).sort();
  expect(await entriesWith("early")).toEqual(["e1"]);
  expect(await entriesWith("late")).toEqual([]);
  expect(await entriesWith("secret")).toEqual([]);
  expect(await entriesWith("preview")).toEqual(["e2", "e3"]);
  await index.close();
});

test("a closed index cannot be used, and closing waits for the indexing", async () => {
  const log = newLog();
  await Promise.all(
    Array.from({ length: 300 }, (_, at) => log.append(userFact(`word${at} `.repeat(400)))),
  );
  await log.close();
  const index = new SearchIndex(log.file);
  const following = index.follow();
  await new Promise((resolve) => setImmediate(resolve));
  await index.close();
  await following;
  await expect(index.search("word")).rejects.toThrow("is closed");
  await expect(index.follow()).rejects.toThrow("is closed");
  await index.close();
});

test("an index whose positions do not fit the log is rebuilt", async () => {
  const log = await conversation();
  await log.close();
  expect(await found(log, "drawn")).toEqual(["e2"]);
  const db = new Database(cacheOf(log));
  db.run("UPDATE places SET at = at + 3");
  db.close();
  const index = new SearchIndex(log.file);
  expect((await index.search("drawn")).map(({ entry }) => entry)).toEqual(["e2"]);
  await index.close();
  // The old one is closed, too; otherwise its bytes would remain on the disk.
  expect(openFiles().filter((file) => file.startsWith(cacheOf(log)))).toEqual([]);
});

test("after a log became shorter, new entries are found, however few", async () => {
  const log = await conversation();
  await log.close();
  const index = new SearchIndex(log.file);
  await index.follow();
  const [first = ""] = (await Bun.file(log.file).text()).split("\n");
  truncateSync(log.file, first.length + 1);
  await index.follow();
  const again = openLog(log.file);
  await again.append(userFact("a zeppelin"));
  await again.close();
  await index.follow();
  expect((await index.search("zeppelin")).map(({ entry }) => entry)).toEqual(["e2"]);
  await index.close();
});

test("an index that is damaged during indexing is rebuilt", async () => {
  const log = await conversation();
  const index = new SearchIndex(log.file);
  await index.follow();
  const db = new Database(cacheOf(log));
  db.run("DROP TABLE places");
  db.close();
  await log.append(userFact("a zeppelin"));
  await index.follow();
  expect((await index.search("zeppelin")).map(({ entry }) => entry)).toEqual(["e6"]);
  expect((await index.search("drawn")).map(({ entry }) => entry)).toEqual(["e2"]);
  await Promise.all([index.close(), log.close()]);
});
