/** A command that failed because of the sandbox says what it lacked; where there is none, the reason is named. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { confinerFor } from "../../../src/trust/sandbox/sandbox.ts";
import { leave, room, temporaryFolder, type Room } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";

afterAll(leave);

let at: Room;
let home: string;

async function open(more: { keepVariables?: string[] } = {}): Promise<void> {
  home = temporaryFolder();
  const childEnv = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    DEMO_API_KEY: "1",
    NPM_TOKEN: "x",
    DATABASE_URL: "postgres://me:pw@db.example/x",
  };
  at = await room({ home, childEnv, mode: "auto", ...more });
}

describe.skipIf(!sandboxHere)("a confined command", () => {
  beforeAll(async () => {
    await open();
    Bun.spawnSync(["git", "init", "-q"], { cwd: at.root });
    at.put(".git/hooks/pre-commit", "#!/bin/sh\n");
    at.put(".github/workflows/ci.yml", "on: push\n");
    at.put(".env", "KEY=1\n");
    at.put("reads.sh", "cat .env\n");
    at.put("home.sh", "cat ~/.toolrc\n");
    at.put("Makefile", 'check-it:\n\ttest -n "$$NPM_TOKEN"\n');
    writeFileSync(join(home, ".toolrc"), "x\n");
  });

  test.each([
    ['test -n "$DEMO_API_KEY" || exit 3', "DEMO_API_KEY is not set in the sandbox"],
    ['test -n "$DATABASE_URL"', "DATABASE_URL is not set in the sandbox"],
    ["make check-it", "NPM_TOKEN is not set in the sandbox"],
    ["echo NPM_TOKEN is missing; exit 1", "NPM_TOKEN is not set in the sandbox"],
    ["sh reads.sh", 'writable: [".env"]'],
    ["echo x > .git/hooks/pre-commit", ".git/hooks/pre-commit"],
    ["echo x > .github/workflows/ci.yml", 'writable: [".github/workflows/ci.yml"]'],
    ["sh home.sh", "Hidden in the sandbox, whose home is empty"],
    [
      "echo 'curl: (6) Could not resolve host: api.example.com'; exit 6",
      'To reach it, send the command again with hosts: ["api.example.com"]',
    ],
    [
      "for name in a b c d; do echo could not resolve host: $name.example.com; done; exit 6",
      "a.example.com, b.example.com, c.example.com and 1 more. To reach them, ",
    ],
    ["echo EACCES; exit 1", "This ran without a question, so it could write nothing"],
    ["touch y; echo EACCES; exit 1", "it writes only to the workspace and to /tmp"],
    ["mkdir -p ~/.config/tool && echo x > ~/.config/tool/settings", "~/.config/tool/settings"],
  ])("%s: %s", async (command, why) => {
    expect(await at.bash(command)).toContain(why);
  });

  test("nothing is said of what a command does not need", async () => {
    expect(await at.bash("true")).toBe("(no output)");
    expect(await at.bash("exit 3")).toBe("[exit code 3]");
    const named = await at.bash("cat .env; exit 1", { writable: [".env"] });
    expect(named).toStartWith("KEY=1\n");
    expect(named).not.toContain('writable: [".env"]');
    const other = await at.bash("sh reads.sh", { writable: [temporaryFolder()] });
    expect(other).not.toContain("KEY=1");
    expect(await at.bash("grep -c missing-word Makefile; exit 1")).not.toContain("sandbox");
  });

  test("a setting keeps a variable", async () => {
    await open({ keepVariables: ["NPM_TOKEN"] });
    expect(await at.bash('echo "$NPM_TOKEN"')).toBe("x");
  });

  test("signed commits are asked about, to run where the keys are", async () => {
    const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: at.root });
    git("init", "-q");
    const review = (command: string) => at.review("Bash", { command });
    const commit = "git -c user.name=a -c user.email=a@b commit --allow-empty -m x";
    expect((await review(commit)).verdict).toBe("allow");
    git("config", "commit.gpgsign", "true");
    expect(await review(commit)).toMatchObject({
      verdict: "ask",
      ask: { access: expect.stringContaining("outside the sandbox") },
    });
    expect((await review(`${commit} --no-gpg-sign`)).verdict).toBe("allow");
    expect((await review("git status")).verdict).toBe("allow");
  });
});

test("a folder that holds the system is not one to confine commands in", async () => {
  expect(await confinerFor(["/"], "/home/me")).toMatchObject({ why: expect.any(String) });
});

test.skipIf(process.getuid?.() !== 0)(
  "root in the home of another user runs commands, after a question",
  async () => {
    home = temporaryFolder();
    chownSync(home, 65534, 65534);
    expect(await confinerFor([temporaryFolder()], home)).toMatchObject({
      why: expect.stringContaining("another user"),
      fix: expect.any(String),
    });
    const childEnv = { PATH: process.env["PATH"] ?? "", HOME: home };
    const theirs = await room({ home, childEnv, mode: "auto" });
    const command = "echo new > made; cat made";
    expect(await theirs.verdict("Bash", { command })).toBe("ask");
    expect(await theirs.bash(command)).toBe("new");
    expect(await Bun.file(join(theirs.root, "made")).text()).toBe("new\n");
  },
);
