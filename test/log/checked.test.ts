/** A large log that was closed without a problem opens without parsing its lines, until it changes. */

import { afterEach, expect, spyOn, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { memoryLimits } from "../../src/log/old-entries.ts";
import { formatEntry } from "../../src/log/parse.ts";
import { removeSession } from "../../src/log/remove.ts";
import { openLog } from "../../src/log/store.ts";
import { resultFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "./folder.ts";

const root = testFolder();
let serial = 0;
const at = "2026-01-01T00:00:00.000Z";
const usual = { ...memoryLimits };
afterEach(() => void Object.assign(memoryLimits, usual));

/** Over a megabyte, so that it is worth a note. */
const lines: string[] = Array.from({ length: 301 }, (_, n) => {
  const place = { id: `e${n + 1}`, parent: n === 0 ? null : `e${n}`, at };
  if (n === 0) return formatEntry({ ...place, ...sessionFact() });
  return formatEntry({ ...place, ...resultFact(`t${n}`, `é${n} `.repeat(900)) });
});

function newLog(...more: string[]): string {
  const file = join(root, `${++serial}.jsonl`);
  writeFileSync(file, [...lines, ...more].join(""));
  return file;
}

/** Opens and closes the log, so that a note is written. */
async function checkedLog(): Promise<string> {
  const file = newLog();
  await openLog(file).close();
  return file;
}

/** How many lines were parsed while the log was opened. */
async function parsedLines(file: string): Promise<number> {
  const parse = spyOn(JSON, "parse");
  const log = openLog(file);
  const count = parse.mock.calls.length;
  parse.mockRestore();
  await log.close();
  return count;
}

test("the note is private, and removed with the session", async () => {
  const file = await checkedLog();
  expect(statSync(`${file}.checked`).mode & 0o777).toBe(0o600);
  removeSession(file);
  expect(existsSync(`${file}.checked`)).toBe(false);
});

test("a log with a note opens without parsing its lines, and has the same entries", async () => {
  Object.assign(memoryLimits, { whole: 100_000, again: 0 });
  const file = await checkedLog();
  expect(await parsedLines(file)).toBeLessThan(5);
  const log = openLog(file);
  expect(log.entries.map(formatEntry)).toEqual(lines);
  expect(log.path.map(({ id, parent }) => [id, parent])).toEqual(
    lines.map((_, n) => [`e${n + 1}`, n === 0 ? null : `e${n}`]),
  );
  const next = await log.append(userFact("more"));
  expect(next).toMatchObject({ id: "e302", parent: "e301" });
  await log.close();
  expect(await parsedLines(file)).toBeLessThan(5);
});

test.each<[string, (file: string) => void]>([
  ["has grown", (file) => appendFileSync(file, "not JSON\n")],
  [
    "was changed in the middle",
    (file) => {
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replace('{"id":"e150"', '{"id!:"e150"'));
      utimesSync(file, 1, 1);
    },
  ],
  [
    "was changed at its end, with its old time",
    (file) => {
      const { mtimeMs } = statSync(file);
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replace('{"id":"e300"', '{"id!:"e300"'));
      utimesSync(file, mtimeMs / 1_000, mtimeMs / 1_000);
    },
  ],
])("a log that %s is read whole, and what is wrong is reported", async (_, change) => {
  const file = await checkedLog();
  change(file);
  const log = openLog(file);
  expect(log.repairs.length).toBeGreaterThan(0);
  await log.close();
  const again = openLog(file);
  expect(again.repairs).toEqual(log.repairs);
  await again.close();
});

test("a log that was not continued keeps its note; one that was gets another", async () => {
  const file = await checkedLog();
  const note = readFileSync(`${file}.checked`);
  utimesSync(`${file}.checked`, 1, 1);
  await openLog(file).close();
  expect(statSync(`${file}.checked`).mtimeMs).toBe(1_000);
  const log = openLog(file);
  await log.append(userFact("more"));
  await log.close();
  expect(readFileSync(`${file}.checked`)).not.toEqual(note);
});

test.each<[string, (note: Buffer) => Uint8Array]>([
  ["was damaged", (note) => note.fill(1, note.length - 40, note.length - 30)],
  ["was cut off", (note) => note.subarray(0, note.length - 13)],
  ["is of another version", (note) => Buffer.from(note.toString("latin1").split("\n")[0] ?? "")],
  ["is empty", () => new Uint8Array()],
])("a note that %s only costs time", async (_, change) => {
  const file = await checkedLog();
  writeFileSync(`${file}.checked`, change(readFileSync(`${file}.checked`)));
  const log = openLog(file);
  expect(log.entries.map(formatEntry)).toEqual(lines);
  expect(log.repairs).toEqual([]);
  await log.close();
  expect(await parsedLines(file)).toBeLessThan(5);
});

test("a log with empty lines gets no note", async () => {
  const file = newLog("\n");
  await openLog(file).close();
  expect(existsSync(`${file}.checked`)).toBe(false);
});

test("a log with a problem gets no note", async () => {
  const file = newLog("not JSON\n");
  await openLog(file).close();
  expect(existsSync(`${file}.checked`)).toBe(false);
});

test("lines that another program wrote are parsed, even with a note", async () => {
  const foreign = `{"parent":"e301","id":"mine","at":"${at}","type":"note","kind":"info","text":"x"}\n`;
  const file = newLog(foreign);
  await openLog(file).close();
  const log = openLog(file);
  expect(log.head).toBe("mine");
  expect(log.repairs).toEqual([]);
  await log.close();
});
