import { expect, test } from "bun:test";
import { readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LogImporter } from "../../src/log/log-importer.ts";
import { LogError } from "../../src/log/log-error.ts";
import { createLog, openLog } from "../../src/log/store.ts";
import { assistantFact, sessionFact, userFact } from "./facts.ts";
import { testFolder } from "./folder.ts";

const root = testFolder();
const at = "2025-05-05T05:05:05.000Z";

test("an import becomes a private session with its own times, and can be continued", async () => {
  const folder = join(root, "whole");
  const importer = LogImporter.begin(folder, "one");
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
  const importer = LogImporter.begin(folder, "one");
  importer.append(sessionFact(), at, null);
  expect(() => LogImporter.begin(folder, "one")).toThrow(LogError);
  importer.discard();
  expect(readdirSync(folder)).toEqual([]);
  // A crash leaves a partial file.
  writeFileSync(join(folder, "one.jsonl.part"), "half a li");
  const again = LogImporter.begin(folder, "one");
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
  expect(() => LogImporter.begin(folder, "one")).toThrow("already exists");
  const importer = LogImporter.begin(folder, "two");
  expect(() => importer.append({ type: "count", tokens: Number.NaN }, at, null)).toThrow(LogError);
  importer.discard();
});
