import { afterAll, expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { harmlessRepository } from "../../../src/trust/git/repository.ts";
import { leave, temporaryFolder } from "../../tools/room.ts";

afterAll(leave);

test.each([
  "objects",
  "objects/ab",
  "objects/pack",
  "objects/pack/pack-1.pack",
  "objects/pack/pack-1.idx",
  "objects/info",
  "objects/info/packs",
  "refs/heads",
])("a repository with a link in place of .git/%s is not harmless", async (path) => {
  const root = temporaryFolder();
  Bun.spawnSync(["git", "init", "-q"], { cwd: root });
  const at = join(root, ".git", path);
  mkdirSync(join(at, ".."), { recursive: true });
  expect(await harmlessRepository(root)).not.toBeNull();
  const elsewhere = join(temporaryFolder(), "elsewhere");
  try {
    renameSync(at, elsewhere);
  } catch {
    writeFileSync(elsewhere, "");
  }
  symlinkSync(elsewhere, at);
  expect(await harmlessRepository(root)).toBeNull();
});
