import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findInstallation } from "../../../src/base/installed.ts";
import { run } from "../../../src/commands/update/update.ts";
import { pathsFor } from "../../../src/config/paths.ts";
import { leave, temporaryFolder } from "../../tools/room.ts";

afterAll(leave);

const build = "mini-claude-linux-x64/bin/mini-claude";

test.each([
  [
    `/usr/local/lib/node_modules/mini-claude/node_modules/${build}`,
    "npm install --global --prefix=/usr/local mini-claude@latest",
  ],
  [
    "C:\\Users\\me\\AppData\\Roaming\\npm\\node_modules\\mini-claude\\node_modules\\mini-claude-windows-x64\\bin\\mini-claude.exe",
    "npm install --global mini-claude@latest",
  ],
  [
    "C:\\Users\\me\\.bun\\install\\global\\node_modules\\mini-claude-windows-x64\\bin\\mini-claude.exe",
    "bun add --global --no-cache mini-claude@latest",
  ],
  [
    `/home/me/.bun/install/global/node_modules/${build}`,
    "bun add --global --no-cache mini-claude@latest",
  ],
  [
    `/home/me/.local/share/pnpm/global/5/.pnpm/mini-claude-linux-x64@0.1.0/node_modules/${build}`,
    "pnpm add --global mini-claude@latest",
  ],
])("what is at %s is updated by %s", (program, command) => {
  const found = findInstallation(program);
  expect(found.kind === "global" && found.install.join(" ")).toBe(command);
});

test.each([
  [`/home/me/.npm/_npx/0a1b/node_modules/${build}`, "npx mini-claude@latest"],
  [`/tmp/bunx-1000-mini-claude@latest/node_modules/${build}`, "bunx mini-claude@latest"],
  [`/home/me/.cache/pnpm/dlx-81/node_modules/${build}`, "pnpm dlx mini-claude@latest"],
])("what is at %s is fetched anew by %s", (program, command) => {
  expect(findInstallation(program)).toEqual({ kind: "fetched", command });
});

test.each([`/home/me/project/node_modules/${build}`, "/home/me/bin/mini-claude", "/usr/bin/bun"])(
  "what is at %s was not installed for all folders",
  (program) => expect(findInstallation(program)).toEqual({ kind: "other" }),
);

test("a checkout says that it is one, whatever Bun runs it", async () => {
  expect(findInstallation("/home/me/mini-claude/src/commands/update/update.ts")).toEqual({
    kind: "checkout",
  });
  const env = { HOME: temporaryFolder() };
  let said = "";
  const out = (text: string): void => void (said += text);
  const io = { paths: pathsFor(env, "/"), env, cwd: "/", out, err() {} };
  expect(await run([], io)).toBe(1);
  expect(said).toContain("runs from a checkout; update it with git pull in /");
});

test("the opened folder's own package manager is not run", async () => {
  const cwd = temporaryFolder();
  const bin = join(cwd, "node_modules/.bin");
  for (const folder of [bin, join(cwd, ".git")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(bin, "npm"), "#!/bin/sh\ntouch ran\necho 9.9.9\n", { mode: 0o755 });
  const env = { HOME: temporaryFolder(), PATH: bin };
  const io = { paths: pathsFor(env, cwd), env, cwd, out() {}, err() {} };
  const updating = run(["--check"], io, "/usr/local/lib/node_modules/mini-claude/bin/mini-claude");
  await expect(updating).rejects.toThrow("not on the PATH");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});
