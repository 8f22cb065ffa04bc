import { expect, test } from "bun:test";
import { join } from "node:path";
import { createLog } from "../../src/log/store.ts";
import { CostsElsewhere, readBilled } from "../../src/log/usage.ts";
import type { Fact } from "../../src/protocol/entry.ts";
import { answer, failedSummary } from "../facts.ts";
import { sessionFact } from "./facts.ts";
import { openFiles } from "./open-files.ts";
import { testFolder } from "./folder.ts";

const root = testFolder();
let serial = 0;
const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10 };
const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
const attempt = failedSummary(usage);

async function billed(...facts: Fact[]): Promise<string[]> {
  const log = createLog(join(root, `${++serial}`));
  for (const fact of facts) await log.append(fact);
  await log.close();
  const calls = await Array.fromAsync(readBilled(log.file));
  for (const { atMs } of calls) expect(Date.now() - atMs).toBeLessThan(60_000);
  return calls.map(({ model, usage: { input } }) => `${model} ${input}`);
}

test("every call is billed to the model that was in use", async () => {
  expect(
    await billed(
      { ...sessionFact(), model: "first" },
      attempt,
      answer(usage, [], { model: "second" }),
      attempt,
      answer(none, [], { model: "second" }),
      { type: "model", model: "third" },
      attempt,
    ),
  ).toEqual(["first 100", "second 100", "second 100", "third 100"]);
});

test("the file is closed, even if not all of it is read", async () => {
  const log = createLog(join(root, "closed"));
  const imported = { agent: "Codex", id: "1", file: "/f", bytes: 1 };
  await log.append({ ...sessionFact(), imported });
  for (let n = 0; n < 40; n++)
    await log.append({ type: "note", kind: "info", text: "x".repeat(9_000) });
  await log.close();
  await Array.fromAsync(readBilled(log.file));
  expect(openFiles()).not.toContain(log.file);
});

test("nothing is billed for an imported session", async () => {
  const imported = { agent: "Codex", id: "1", file: "/f", bytes: 1 };
  expect(await billed({ ...sessionFact(), imported }, answer(usage, [], { model: "m" }))).toEqual(
    [],
  );
});

test("costs elsewhere are those of other runs, and grow with their logs", async () => {
  const sessions = join(root, "all");
  const here = join(sessions, "here");
  const prices = { input: 10_000, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const write = async (folder: string, name: string, calls: number) => {
    const log = createLog(folder, name);
    await log.append({ ...sessionFact(), session: name });
    for (let n = 0; n < calls; n++) await log.append(answer(usage, [], { model: "m" }));
    return log;
  };
  const own = await write(here, "own", 1);
  const sinceMs = Date.now() + 1;
  const other = await write(here, "other", 2);
  const far = await write(join(sessions, "far"), "far", 4);
  const costs = new CostsElsewhere({
    paths: { sessions, projectSessions: here },
    findPrices: () => prices,
    own: { session: "own", sinceMs },
  });
  expect(await costs.read(Date.now())).toEqual({ day: 7, project: 3 });
  await other.append(answer(usage, [], { model: "m" }));
  await own.append({ ...answer(usage, [], { model: "m" }) });
  const later = await costs.read(Date.now());
  expect(later.day - later.project).toBe(4);
  await Promise.all([own, other, far].map((log) => log.close()));
});
