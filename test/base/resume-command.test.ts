import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resumeCommand } from "../../src/base/installed.ts";
import { testFolder } from "../folder.ts";

const root = testFolder("resume");
const checkout = join(root, "check out");
const script = join(checkout, "src", "cli.tsx");

function program(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), "", { mode: 0o755 });
  return folder;
}
program(join(checkout, "src"), "cli.tsx");
const installed = program(join(root, "installed"), "mini-claude");
const bun = program(join(root, "bun"), "bun");
const runner = program(join(checkout, "node_modules", ".bin"), "mini-claude");
program(runner, "bun");
program(join(root, "bun-node-0a1b"), "bun");

const build = "node_modules/mini-claude-linux-x64/bin/mini-claude";

test.each([
  ["/opt/mini-claude/mini-claude", "/opt/mini-claude/mini-claude"],
  [`/home/me/.npm/_npx/0a1b/${build}`, "npx mini-claude"],
  [
    `C:\\npm-cache\\_npx\\1\\node_modules\\mini-claude-windows-x64\\bin\\mini-claude.exe`,
    "npx mini-claude",
  ],
  [`/tmp/bunx-0-mini-claude@latest/${build}`, "bunx mini-claude"],
  [`/home/me/.cache/pnpm/dlx-1/${build}`, "pnpm dlx mini-claude"],
])("the compiled program at %s is started by %s", (executable, command) => {
  const script = "/$bunfs/root/mini-claude";
  const started = { env: { PATH: bun }, script, cwd: root, executable };
  expect(resumeCommand("20260101-a", started)).toBe(`${command} --resume 20260101-a`);
});

const byNpx = `npx -y --allow-scripts=bun bun@${Bun.version} run start`;

test.each([
  ["installed", `${bun}:${installed}`, root, "mini-claude"],
  ["bun, in the checkout", `${runner}:${bun}`, checkout, "bunx mini-claude"],
  ["bun, below the checkout", bun, join(checkout, "src"), "bunx mini-claude"],
  ["bun, elsewhere", bun, root, `'${script}'`],
  ["only what Bun adds itself", `${join(root, "bun-node-0a1b")}:/nowhere`, checkout, byNpx],
  ["only a package runner", `${runner}:/nowhere`, checkout, byNpx],
])("%s", (_, PATH, cwd, command) => {
  expect(resumeCommand("20260101-a", { env: { PATH }, script, cwd })).toBe(
    `${command} --resume 20260101-a`,
  );
});

test("what started it by the script of package.json starts it again, in the worktree", () => {
  const env = { PATH: `${bun}:${installed}`, npm_lifecycle_event: "start" };
  const started = { env, script, cwd: checkout, worktree: "fix" };
  expect(resumeCommand("20260101-a", started)).toBe(
    "bun run start --worktree fix --resume 20260101-a",
  );
});
