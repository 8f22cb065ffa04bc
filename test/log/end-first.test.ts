/** A long log, of which the end is read first. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatEntry, logVersion } from "../../src/log/parse.ts";
import { openEndFirst, openLog } from "../../src/log/store.ts";
import type { Entry, Fact } from "../../src/protocol/entry.ts";
import { resultFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "./folder.ts";
import { openFiles } from "./open-files.ts";

const root = testFolder();
let serial = 0;

/** Thirty entries of a megabyte. */
function longLog(change: Record<number, Fact | string> = {}): string {
  const file = join(root, `${++serial}.jsonl`);
  const lines = Array.from({ length: 30 }, (_, at) => {
    const fact = change[at] ?? (at === 0 ? sessionFact() : resultFact(`t${at}`, "x".repeat(1e6)));
    if (typeof fact === "string") return fact;
    return formatEntry({ id: `e${at + 1}`, parent: at === 0 ? null : `e${at}`, at: "", ...fact });
  });
  writeFileSync(file, lines.join(""));
  return file;
}

const listIds = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id);

test("it begins with its first entry, its model and its newest entries, and is whole when asked", async () => {
  const file = longLog({ 4: { type: "model", model: "early" }, 9: { type: "model", model: "m" } });
  const log = await openEndFirst(file);
  expect(log.isWhole).toBe(false);
  expect(listIds(log.path)).toEqual(["e1", "e10", "e27", "e28", "e29", "e30"]);
  expect(log.head).toBe("e30");
  const newest = log.path;
  await log.whole();
  expect(log.isWhole).toBe(true);
  expect(log.path).not.toBe(newest);
  await log.close();
  expect(log.path).toEqual([...openLog(file, { readOnly: true }).path]);
});

test("it is read in pieces, as long as there is time", async () => {
  const log = await openEndFirst(longLog());
  expect(log.load(() => true)).toBe(false);
  expect(log.path.length).toBeLessThan(30);
  expect(log.load()).toBe(true);
  expect(log.path).toHaveLength(30);
  await log.close();
});

test("an append waits for all of it", async () => {
  const file = longLog();
  const log = await openEndFirst(file);
  const entry = await log.append(userFact("next"));
  expect(entry).toMatchObject({ id: "e31", parent: "e30" });
  expect(log.path).toHaveLength(31);
  await log.close();
  expect(openLog(file, { readOnly: true }).path.at(-1)).toEqual(entry);
});

test.each([
  ["before the part that is read first", 3, 5],
  ["within that part", 26, 28],
])("a model that a rewind left, %s, is not taken for the current one", async (_, model, head) => {
  const to = `e${model}`;
  const fact = { type: "head", why: "Rewound", id: `e${head + 1}`, parent: to, at: "" } as const;
  const file = longLog({
    [model]: { type: "model", model: "left" },
    [head]: formatEntry(fact),
  });
  const log = await openEndFirst(file);
  const whole = openLog(file, { readOnly: true });
  const models = (path: readonly Entry[]) => path.filter(({ type }) => type === "model");
  expect(models(whole.path)).toEqual([]);
  expect(models(log.path)).toEqual([]);
  await log.close();
});

test("closed before it is whole, it leaves no file open", async () => {
  const before = openFiles();
  const log = await openEndFirst(longLog());
  log.load(() => true);
  await log.close();
  expect(openFiles()).toEqual(before);
  await log.whole();
  await expect(log.append(userFact("late"))).rejects.toThrow("is closed");
});

test("what is wrong with it is known once it is whole", async () => {
  const log = await openEndFirst(longLog({ 12: "garbage\n" }));
  expect(log.repairs).toEqual([]);
  await log.whole();
  expect(log.repairs).toHaveLength(2);
  await log.close();
});

test("a short log, or one that does not begin like a session of this version, is read at once", async () => {
  const short = join(root, "short.jsonl");
  writeFileSync(short, formatEntry({ id: "e1", parent: null, at: "", ...sessionFact() }));
  for (const file of [
    short,
    longLog({ 0: userFact("no session") }),
    longLog({ 0: "garbage\n" }),
    longLog({ 0: sessionFact("later", logVersion + 1) }),
  ]) {
    const log = await openEndFirst(file);
    expect(log.isWhole).toBe(true);
    await log.close();
  }
  await expect(openEndFirst(join(root, "none.jsonl"))).rejects.toThrow("does not exist");
});
