/** `mini-claude trust`: the folders that it names, lists and forgets. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { sandbox } from "../../bin.ts";
import { inProcess } from "../../in-process.ts";

const box = inProcess(await sandbox("trust"));
afterAll(box.remove);
const trust = (...args: string[]) => box.run(["trust", ...args]);

test("folders are trusted, listed in order and forgotten; what is no folder is a usage error", async () => {
  const [b, a] = ["b", "a"].map((name) => join(box.project, name));
  for (const folder of [b, a]) mkdirSync(folder ?? "");
  expect((await trust("--list")).out).toBe("No decisions yet.\n");
  expect((await trust("b")).out).toBe(`Trusted: ${b}\n`);
  await trust("a");
  await trust();
  const line = (folder = ""): string => `trusted    ${folder}\n`;
  expect((await trust("--list")).out).toBe([box.project, a, b].map(line).join(""));
  expect((await trust("--remove", "a")).out).toBe(`Removed: ${a}\n`);
  expect((await trust("--list")).out).toBe([box.project, b].map(line).join(""));
  const none = join(box.project, "none");
  expect(await trust("none")).toMatchObject({
    code: 2,
    err: expect.stringContaining(`There is no folder ${none}.`),
  });
  expect((await trust("a", "b")).err).toContain("trust takes one folder.");
});
