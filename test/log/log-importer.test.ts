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

test("a draft becomes a session with its own times, private, and can be gone on with", async () => {
  const folder = join(root, "whole");
  const draft = LogImporter.begin(folder, "one");
  const first = draft.append(sessionFact(), at, null);
  const asked = draft.append(userFact("asked"), at, first);
  draft.append(assistantFact("left behind"), at, asked);
  draft.append(assistantFact("answered"), at, asked);
  expect(readdirSync(folder)).not.toContain("one.jsonl");
  draft.finish(Date.parse(at));
  expect(readdirSync(folder)).toEqual(["one.jsonl"]);
  const info = statSync(draft.file);
  expect([info.mode & 0o777, info.mtimeMs]).toEqual([0o600, Date.parse(at)]);
  const log = openLog(draft.file);
  expect(log.repairs).toEqual([]);
  expect(log.path.map((entry) => [entry.id, entry.at])).toEqual([
    ["e1", at],
    ["e2", at],
    ["e4", at],
  ]);
  expect((await log.append(userFact("more"))).id).toBe("e5");
  await log.close();
});

test("what is not finished leaves nothing, and lets the next one begin", () => {
  const folder = join(root, "thrown");
  const draft = LogImporter.begin(folder, "one");
  draft.append(sessionFact(), at, null);
  expect(() => LogImporter.begin(folder, "one")).toThrow(LogError);
  draft.discard();
  expect(readdirSync(folder)).toEqual([]);
  // A crash leaves the part and a lock of a process that is gone.
  writeFileSync(join(folder, "one.jsonl.part"), "half a li");
  const again = LogImporter.begin(folder, "one");
  again.append(sessionFact(), at, null);
  again.finish(0);
  expect(openLog(again.file, { readOnly: true }).path).toHaveLength(1);
});

test("it never takes the place of a session, and refuses what a log could not read", async () => {
  const folder = join(root, "taken");
  const log = createLog(folder, "one");
  await log.append(sessionFact());
  await log.close();
  utimesSync(log.file, 1, 1);
  expect(() => LogImporter.begin(folder, "one")).toThrow("already");
  const draft = LogImporter.begin(folder, "two");
  expect(() => draft.append({ type: "count", tokens: Number.NaN }, at, null)).toThrow(LogError);
  draft.discard();
});
