import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LogImporter } from "../../src/log/new-session.ts";
import { LogError } from "../../src/log/log-error.ts";
import { createLog, openLog } from "../../src/log/store.ts";
import { blockText } from "../../src/protocol/block.ts";
import { assistantFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "./folder.ts";
import { openFiles } from "./open-files.ts";

const root = testFolder();
const at = "2025-05-05T05:05:05.000Z";

test("an import becomes a private session with its own times, and can be continued", async () => {
  const folder = join(root, "whole");
  const importer = new LogImporter(folder, "one");
  const first = importer.append(sessionFact(), at, null);
  const asked = importer.append(userFact("asked"), at, first);
  importer.append(assistantFact("left behind"), at, asked);
  importer.append(assistantFact("answered"), at, asked);
  expect(readdirSync(folder)).not.toContain("one.jsonl");
  importer.finish(Date.parse(at));
  expect(readdirSync(folder)).toEqual(["one.jsonl"]);
  const info = statSync(importer.file);
  expect([info.mode & 0o777, info.mtimeMs]).toEqual([0o600, Date.parse(at)]);
  const log = openLog(importer.file);
  expect(log.repairs).toEqual([]);
  expect(log.path.map((entry) => [entry.id, entry.at])).toEqual([
    ["e1", at],
    ["e2", at],
    ["e4", at],
  ]);
  expect((await log.append(userFact("more"))).id).toBe("e5");
  await log.close();
});

test("an unfinished import leaves nothing behind", () => {
  const folder = join(root, "thrown");
  const before = openFiles();
  const importer = new LogImporter(folder, "one");
  importer.append(sessionFact(), at, null);
  expect(() => new LogImporter(folder, "one")).toThrow(LogError);
  importer.discard();
  expect(readdirSync(folder)).toEqual([]);
  expect(openFiles()).toEqual(before);
  // A crash leaves a partial file.
  writeFileSync(join(folder, "one.jsonl.part"), "half a li");
  const again = new LogImporter(folder, "one");
  again.append(sessionFact(), at, null);
  again.finish(0);
  expect(openLog(again.file, { readOnly: true }).path).toHaveLength(1);
});

test("an import never replaces a session, and refuses invalid facts", async () => {
  const folder = join(root, "taken");
  const log = createLog(folder, "one");
  await log.append(sessionFact());
  await log.close();
  utimesSync(log.file, 1, 1);
  expect(() => new LogImporter(folder, "one")).toThrow("already exists");
  const importer = new LogImporter(folder, "two");
  expect(() => importer.append({ type: "count", tokens: Number.NaN }, at, null)).toThrow(LogError);
  importer.discard();
});

test("an import has every entry, of any size and number", () => {
  const folder = join(root, "large");
  const importer = new LogImporter(folder, "one");
  const texts = [
    ...Array.from({ length: 2_500 }, (_, n) => `text ${n}`),
    "a".repeat(600_000),
    "b".repeat(600_000),
    "c",
    "d".repeat(1_500_000),
    "e",
    "\u00e9".repeat(400_000),
    "f".repeat(300_000),
  ];
  let parent: string | null = null;
  for (const text of texts) parent = importer.append(userFact(text), at, parent);
  expect(importer.entries).toBe(texts.length);
  importer.finish(0);
  const log = openLog(importer.file, { readOnly: true });
  expect(log.repairs).toEqual([]);
  expect(log.path.map((entry) => (entry.type === "user" ? blockText(entry.content) : ""))).toEqual(
    texts,
  );
});

test("a folder that cannot be written is reported, and nothing stays locked", () => {
  const file = join(root, "a-file");
  writeFileSync(file, "");
  expect(() => new LogImporter(join(file, "sessions"), "one")).toThrow(
    `The session ${join(file, "sessions", "one.jsonl")} cannot be written: `,
  );
  const folder = join(root, "blocked");
  mkdirSync(join(folder, "one.jsonl.part", "x"), { recursive: true });
  const importer = new LogImporter(folder, "one");
  importer.append(sessionFact(), at, null);
  expect(() => importer.finish(0)).toThrow("cannot be written: ");
  expect(readdirSync(folder)).toEqual(["one.jsonl.part"]);
});

test("discarding twice does not disturb the next import", () => {
  const folder = join(root, "again");
  const first = new LogImporter(folder, "one");
  first.discard();
  const second = new LogImporter(folder, "one");
  first.discard();
  expect(readdirSync(folder)).toEqual(["one.jsonl.lock"]);
  second.discard();
});
