/** A workspace that is the home, holds it, or holds keys: those stay hidden, and there is no mode auto. */

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { autoNeedsProject } from "../../src/protocol/permission.ts";
import { leave, room, temporaryFolder, type Room } from "../tools/room.ts";
import { sandboxHere } from "./sandbox-here.ts";

afterAll(leave);

/** Opens a folder of a home that has keys in several places. */
async function openRoom(
  way: string,
  rules: readonly string[] = [],
): Promise<Room & { home: string }> {
  const home = join(temporaryFolder(), "home");
  for (const path of keys) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), "key-in-here\n");
  }
  mkdirSync(join(home, "project"));
  const at = await room({
    workspace: join(home, way),
    resultsDir: join(home, ".mini-claude/tool-results"),
    childEnv: { PATH: process.env["PATH"] ?? "", HOME: home },
    mode: "auto",
    rules: { allow: rules },
  });
  return { ...at, home };
}

const keys = [
  ".ssh/id_x",
  ".aws/x",
  ".gnupg/x",
  ".config/gh/hosts.yml",
  ".kube/config",
  ".docker/config.json",
];

test.each([".", "..", ".config", ".ssh", ".aws"])("in ~/%s", async (way) => {
  const at = await openRoom(way, ["Read", "Read(**)", "Read(~/**)"]);
  // In mode auto they would run without a question, which is not offered here.
  for (const command of ["npm run build", "python3 x.py", "node x.js", "make"])
    expect(await at.verdict("Bash", { command })).toBe("ask");
  if (sandboxHere) expect(await at.box.whyNoAuto()).toBe(autoNeedsProject);
  for (const key of keys)
    expect(await at.verdict("Read", { file_path: join(at.home, key) })).toBe("ask");
  expect(await at.say("Grep", { pattern: "key-in", path: at.home })).not.toContain("key-in-here");
  if (!sandboxHere || /ssh|aws/.test(way)) return;
  const command = "cat ~/.s*/* ~/.c*/gh/*; cp -r ~/.a* ~/.g* /tmp; cat /tmp/.*/*";
  expect(await at.bash(command)).not.toContain("key-in-here");
});

test.skipIf(!sandboxHere)("a project in the home has mode auto", async () => {
  const at = await openRoom("project");
  expect(await at.box.whyNoAuto()).toBeNull();
  expect(await at.verdict("Bash", { command: "npm test" })).toBe("allow");
});
