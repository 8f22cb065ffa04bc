import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pruneOwn } from "../../src/tools/prune.ts";
import { leave, quietRun, room, temporaryFolder } from "./room.ts";

afterAll(leave);

const dayMs = 24 * 60 * 60_000;
const nowMs = 1_700_000_000_000;
const most = { caches: { maxAgeMs: 30 * dayMs, maxBytes: 100_000 } };

let own: string;

beforeEach(() => {
  own = temporaryFolder();
});

/** A cache with one file, last used so many days ago. */
function cache(name: string, days: number, bytes: number): void {
  const file = join(own, "caches", name, "deep/file");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "x".repeat(bytes));
  utimesSync(join(own, "caches", name), nowMs / 1_000, (nowMs - days * dayMs) / 1_000);
}

const left = (): string[] => readdirSync(join(own, "caches")).sort();

test("what was not used for long is removed", async () => {
  cache("old", 31, 1);
  cache("recent", 29, 1);
  await pruneOwn(own, nowMs, most);
  expect(left()).toEqual(["recent"]);
});

test("the oldest of too much is removed, what is in use stays", async () => {
  cache("now", 0.5, 90_000);
  cache("today", 0.9, 90_000);
  cache("a week ago", 7, 1_000);
  cache("yesterday", 2, 1_000);
  await pruneOwn(own, nowMs, most);
  expect(left()).toEqual(["now", "today"]);
});

test("files set aside and snapshots are pruned, too", async () => {
  const { box, results } = await room();
  await box.close();
  own = dirname(results);
  for (const name of ["caches", "aside", "snapshots"]) {
    mkdirSync(join(own, name, "old"), { recursive: true });
    utimesSync(join(own, name, "old"), 1, 1);
  }
  await pruneOwn(own, nowMs);
  for (const name of ["caches", "aside", "snapshots"])
    expect(readdirSync(join(own, name))).toEqual([]);
});

test("the first command of a session prunes", async () => {
  const at = await room();
  own = dirname(at.results);
  cache("old", 40, 1);
  const call = {
    type: "tool_use",
    id: "p",
    name: "Bash",
    input: { command: "echo x > x" },
  } as const;
  await at.box.review(call);
  await at.box.run(call, quietRun());
  while (left().includes("old")) await Bun.sleep(5);
});
