/** Logs that an editor or a stranger has touched. */

import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listSessions, latestSession } from "../../src/log/catalog.ts";
import { createLog, openLog } from "../../src/log/store.ts";
import { sessionFact, userFact } from "./facts.ts";
import { testFolder } from "../folder.ts";

const root = testFolder();

test("a byte order mark hides no session", async () => {
  const log = createLog(join(root, "bom"), "marked");
  for (const fact of [sessionFact(), userFact("hi")]) await log.append(fact);
  await log.close();
  writeFileSync(log.file, `\ufeff${readFileSync(log.file, "utf8")}`);
  expect(openLog(log.file, { readOnly: true }).entries).toHaveLength(2);
  expect((await latestSession(dirname(log.file)))?.file).toBe(log.file);
  expect((await listSessions(dirname(log.file))).map(({ session }) => session)).toEqual(["marked"]);
});

test.skipIf(process.platform === "win32")("a pipe in place of a log stops nothing", async () => {
  const folder = join(root, "pipe");
  mkdirSync(folder);
  const file = join(folder, "pipe.jsonl");
  Bun.spawnSync(["mkfifo", file]);
  expect(await listSessions(folder)).toEqual([]);
  expect(await latestSession(folder)).toBeNull();
  expect(() => openLog(file)).toThrow("is not an ordinary file");
});
