/** The first command of a session prunes our own folder: caches, files set aside, snapshots. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { leave, room } from "./room.ts";

afterAll(leave);

const gigabyte = 1024 ** 3;

test("what was not used for long goes, and the oldest of too much, but nothing of today", async () => {
  const at = await room();
  const own = dirname(at.results);
  const entry = (name: string, days: number, bytes: number): void => {
    const folder = join(own, name, "deep");
    mkdirSync(folder, { recursive: true });
    for (const half of ["a", "b"]) {
      writeFileSync(join(folder, half), "");
      truncateSync(join(folder, half), Math.ceil(bytes / 2));
    }
    const seconds = Date.now() / 1_000 - days * 86_400;
    utimesSync(join(own, name), seconds, seconds);
  };
  entry("caches/old", 31, 1);
  entry("caches/recent", 29, 1);
  entry("aside/old", 31, 1);
  entry("kept/now", 0.5, 3 * gigabyte);
  entry("kept/today", 0.9, 3 * gigabyte);
  entry("kept/yesterday", 2, 1);
  entry("snapshots/2 months", 60, 1);
  entry("snapshots/large", 40, 7 * gigabyte);
  entry("snapshots/larger", 50, 2 * gigabyte);
  await at.run("Bash", { command: "echo x > x" });
  const ours = /^(?:old|recent|now|today|yesterday|2 months|large|larger)$/;
  const left = (): string[][] =>
    ["caches", "aside", "kept", "snapshots"].map((name) =>
      readdirSync(join(own, name))
        .filter((entry) => ours.test(entry))
        .sort(),
    );
  const wanted = [["recent"], [], ["now", "today"], ["large"]];
  // The oldest goes last.
  while (left()[3]?.includes("2 months")) await Bun.sleep(5);
  expect(left()).toEqual(wanted);
});
