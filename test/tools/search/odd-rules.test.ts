/** A .gitignore that is no regular file neither stops a search nor fills the memory. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { leave, room, type Room } from "../room.ts";

afterAll(leave);

function odd(at: Room, kind: string, path: string): void {
  const file = join(at.root, path);
  mkdirSync(dirname(file), { recursive: true });
  if (kind === "a pipe") Bun.spawnSync(["mkfifo", file]);
  else if (kind === "a folder") mkdirSync(file);
  else symlinkSync(kind === "itself" ? ".gitignore" : kind, file);
}

test.concurrent.each(["a pipe", "a folder", "/dev/zero", "itself"])(
  "with %s as .gitignore, searches end",
  async (kind) => {
    const at = await room();
    odd(at, kind, ".gitignore");
    at.put("a.txt", "needle\n");
    at.put("sub/b.txt", "needle\n");
    expect(await at.say("Glob", { pattern: "*.txt" })).toBe("a.txt\nsub/b.txt");
    expect(await at.say("Grep", { pattern: "needle" })).toContain("a.txt");
    expect(await at.say("Grep", { pattern: "needle", path: "sub" })).toContain("b.txt");
  },
);

test.concurrent.each(["/dev/tty", "/proc/self/mem"])(
  "%s as a deeper .gitignore does not hide what it cannot ignore",
  async (kind) => {
    const at = await room();
    odd(at, kind, "sub/.gitignore");
    at.put("sub/b.txt", "needle\n");
    expect(await at.say("Grep", { pattern: "needle" })).toBe("sub/b.txt");
    expect(await at.say("Glob", { pattern: "*.txt" })).toBe("sub/b.txt");
  },
);

test.concurrent("a pipe as a deeper .gitignore is named instead of being waited for", async () => {
  const at = await room();
  odd(at, "a pipe", "sub/.gitignore");
  at.put("sub/b.txt", "needle\n");
  const searches = [at.say("Grep", { pattern: "needle" }), at.say("Glob", { pattern: "*.txt" })];
  for (const said of await Promise.all(searches))
    expect(said).toStartWith("sub/.gitignore is a pipe or a device");
});

test.concurrent("an endless deeper .gitignore ends the search, not the memory", async () => {
  const at = await room();
  odd(at, "/dev/zero", "sub/.gitignore");
  at.put("sub/b.txt", "needle\n");
  expect(await at.say("Grep", { pattern: "needle" })).toContain("use Bash with grep or find");
});
