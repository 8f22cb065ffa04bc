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

test("a compiled program is named by its file", () => {
  const executable = "/opt/mini-claude/mini-claude";
  const compiled = {
    env: { PATH: bun },
    script: "/$bunfs/root/mini-claude",
    cwd: root,
    executable,
  };
  expect(resumeCommand("20260101-a", compiled)).toBe(`${executable} --resume 20260101-a`);
});

test("on Windows npx fetches it again, too", () => {
  const executable =
    "C:\\npm-cache\\_npx\\1\\node_modules\\mini-claude-windows-x64\\bin\\mini-claude.exe";
  const script = "B:\\~BUN\\root\\mini-claude.exe";
  const started = { env: { PATH: bun }, script, cwd: root, executable };
  expect(resumeCommand("20260101-a", started)).toBe("npx mini-claude --resume 20260101-a");
});

test.each([
  ["/home/me/.npm/_npx/0a1b/node_modules/mini-claude-linux-x64/bin/mini-claude", "npx"],
  ["/tmp/bunx-0-mini-claude@latest/node_modules/mini-claude-linux-x64/bin/mini-claude", "bunx"],
  ["/home/me/.cache/pnpm/dlx-1/node_modules/mini-claude-linux-x64/bin/mini-claude", "pnpm dlx"],
])("a program that was fetched for one start is fetched again: %s", (executable, runner) => {
  const started = { env: { PATH: bun }, script: "/$bunfs/root/mini-claude", cwd: root, executable };
  expect(resumeCommand("20260101-a", started)).toBe(`${runner} mini-claude --resume 20260101-a`);
});

test.each([
  ["installed", `${bun}:${installed}`, root, "mini-claude"],
  ["bun, in the checkout", `${runner}:${bun}`, checkout, "bunx mini-claude"],
  ["bun, below the checkout", bun, join(checkout, "src"), "bunx mini-claude"],
  ["bun, elsewhere", bun, root, `'${script}'`],
  [
    "only what Bun adds itself",
    `${join(root, "bun-node-0a1b")}:/nowhere`,
    checkout,
    `npx -y --allow-scripts=bun bun@${Bun.version} run start`,
  ],
  [
    "only a package runner",
    `${runner}:/nowhere`,
    checkout,
    `npx -y --allow-scripts=bun bun@${Bun.version} run start`,
  ],
])("%s", (_, PATH, cwd, command) => {
  expect(resumeCommand("20260101-a", { env: { PATH }, script, cwd })).toBe(
    `${command} --resume 20260101-a`,
  );
});

test.each([
  ["bun", `${bun}:${installed}`, "bun run start"],
  ["npx", "/nowhere", `npx -y --allow-scripts=bun bun@${Bun.version} run start`],
])(
  "what started it by the script of package.json, with %s, starts it again",
  (_, PATH, command) => {
    const env = { PATH, npm_lifecycle_event: "start" };
    expect(resumeCommand("20260101-a", { env, script, cwd: checkout })).toBe(
      `${command} --resume 20260101-a`,
    );
  },
);
