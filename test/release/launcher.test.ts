/** The packages of a release without its builds, installed by npm and started by Node alone. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  makeMainPackage,
  makeSystemPackage,
  changelogNotes,
  packPackage,
} from "../../src/release/packages.ts";
import { hostTarget, releaseTargets } from "../../src/release/targets.ts";

const root = mkdtempSync(join(tmpdir(), "release-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Stands for the compiled program. */
const stub = `#!/bin/sh
case $1 in
  wait) trap 'exit 7' TERM; echo started; while :; do sleep 0.01; done ;;
  killed) kill -9 $$ ;;
  variables) cat /proc/$PPID/environ; printf '|%s' "$ANTHROPIC_API_KEY" ;;
  *) printf '%s|' "$@"; exit 3 ;;
esac
`;

const prefix = join(root, "prefix");
const node = Bun.which("node");

async function run(command: string[]) {
  const child = Bun.spawn(command, { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { code, out, err };
}

describe.skipIf(node === null || Bun.which("npm") === null)("installed by npm", () => {
  const launcher = join(prefix, "lib/node_modules/mini-claude/bin/mini-claude.cjs");
  const start = (...args: string[]) => [node ?? "", launcher, ...args];

  beforeAll(async () => {
    const programs = join(root, "programs");
    mkdirSync(programs);
    for (const name of ["mini-claude", "rg"])
      writeFileSync(join(programs, name), stub, { mode: 0o755 });
    const target = hostTarget();
    makeSystemPackage(target, programs, join(root, "system"));
    await makeMainPackage([], join(root, "main"));
    const tarballs = [await packPackage(join(root, "main"), root)];
    tarballs.push(await packPackage(join(root, "system"), root));
    const flags = ["--global", `--prefix=${prefix}`, "--offline", "--no-audit", "--no-fund"];
    const installed = await run(["npm", "install", ...flags, ...tarballs]);
    expect([installed.code, installed.err]).toEqual([0, ""]);
  });

  test("the launcher passes arguments on, and the exit code back", async () => {
    expect(await run(start("a b", "--flag", ""))).toEqual({
      code: 3,
      out: "a b|--flag||",
      err: "",
    });
  });

  test.skipIf(process.platform !== "linux")(
    "a key reaches the program, and /proc does not show it of the launcher",
    async () => {
      const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-secret", OTHER: "x" };
      const child = Bun.spawn(start("variables"), { env, stdout: "pipe" });
      const said = await child.stdout.text();
      // A newer Node becomes the program, whose parent is this test.
      expect(said.slice(0, said.lastIndexOf("|"))).not.toContain("sk-secret");
      expect(said.slice(said.lastIndexOf("|") + 1)).toBe("sk-secret");
    },
  );

  test("a signal reaches the program, and one that ends it is reported as shells do", async () => {
    const child = Bun.spawn(start("wait"), { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
    const reader = child.stdout.getReader();
    await reader.read();
    child.kill("SIGTERM");
    expect(await child.exited).toBe(7);
    expect((await run(start("killed"))).code).toBe(137);
  });

  test("without a build for this system it says so in a sentence", async () => {
    rmSync(join(prefix, `lib/node_modules/mini-claude-${hostTarget().name}`), { recursive: true });
    const { code, err } = await run(start());
    expect([code, err]).toEqual([1, expect.stringContaining("mini-claude: there is no build for")]);
  });
});

test("a package is installed only where its build can run", () => {
  for (const { name, os, cpu, libc } of releaseTargets) {
    expect(name).toBe(`${os === "win32" ? "windows" : os}-${cpu}${libc === "musl" ? "-musl" : ""}`);
  }
});

test("the notes are the version's section of the changelog", () => {
  const changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0\n\n- first\n";
  expect(changelogNotes("0.1.0", changelog)).toBe("## 0.1.0\n\n- first\n");
  expect(changelogNotes("0.2.0", changelog)).toBe("## Unreleased\n\n- new\n");
  expect(() => changelogNotes("0.2.0", "# Changelog\n")).toThrow("has no section 0.2.0");
});
