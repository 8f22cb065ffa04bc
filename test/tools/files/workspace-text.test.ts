import { afterAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { workspaceText } from "../../../src/tools/files/workspace-text.ts";
import { leave, room } from "../room.ts";

afterAll(leave);

test("a file of the workspace is read as text", async () => {
  const at = await room();
  expect(await workspaceText(at.root, at.put("a.txt", "grün"))).toBe("grün");
  expect(await workspaceText(at.root, at.put("..a.txt", "a"))).toBe("a");
  const link = join(at.outside, "link");
  symlinkSync(at.root, link);
  expect(await workspaceText(link, join(at.root, "a.txt"))).toBe("grün");
});

test("files that are outside, missing, binary or large, and non-files, are left out", async () => {
  const at = await room();
  const outside = join(at.outside, "a.txt");
  writeFileSync(outside, "a");
  const link = join(at.root, "link");
  symlinkSync(outside, link);
  const pipe = join(at.root, "pipe");
  Bun.spawnSync(["mkfifo", pipe]);
  mkdirSync(join(at.root, "folder"));
  const large = at.put("large", "");
  truncateSync(large, 2_000_001);
  for (const path of [outside, link, pipe, join(at.root, "folder"), join(at.root, "none"), large])
    expect(await workspaceText(at.root, path)).toBeNull();
  expect(await workspaceText(at.root, at.put("binary", "a\0b"))).toBeNull();
});
