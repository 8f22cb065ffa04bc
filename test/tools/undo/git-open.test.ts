/** While git may write its settings, or after a file was made anew, nothing else in the sandbox can use that. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { blockText } from "../../../src/protocol/block.ts";
import { leave, quietRun, room, temporaryFolder, type Room } from "../room.ts";

afterAll(leave);

const hasSandbox = await room().then(({ box }) => box.hasSandbox());

let at: Room;
let calls = 0;

const path = (name: string): string => join(at.root, name);
const text = (name: string): string => readFileSync(path(name), "utf8");

/** Made once: tests work on copies. */
const template = temporaryFolder();
mkdirSync(join(template, ".vscode"));
writeFileSync(join(template, ".vscode/tasks.json"), "{}\n");
writeFileSync(join(template, ".mcp.json"), "{}\n");
// Tries again and again, as long as it runs; says so when it has been let to, or what it is waiting for is there.
writeFileSync(
  join(template, "evil.sh"),
  "try() { echo evil > .mcp.json; echo evil > .vscode/tasks.json; git config core.fsmonitor ./evil; } 2> /dev/null\n" +
    "[ $1 = wait ] && while ! [ -e go ]; do sleep 0.01; done; try; : > done; [ $1 = wait ] && sleep 30\n",
);
const setup =
  "git init -q -b main; git config user.name a; git config user.email a@b.c; git add -A; git commit -qm x; git branch other";
Bun.spawnSync(["sh", "-c", setup], { cwd: template });

/** `overlays` "off": what a command leaves running goes on, and writes to the workspace itself. */
async function open(overlays: "auto" | "off" = "auto"): Promise<void> {
  at = await room({ mode: "auto", overlays });
  cpSync(template, at.root, { recursive: true, preserveTimestamps: true });
}

beforeEach(() => open());

const unchanged = (): void => {
  expect([text(".mcp.json"), text(".vscode/tasks.json")]).toEqual(["{}\n", "{}\n"]);
  expect(text(".git/config")).not.toContain("fsmonitor");
};

async function run(command: string, more = {}, verdict = "allow"): Promise<string> {
  const input = { command, ...more };
  const call = { type: "tool_use", id: `g${(calls += 1)}`, name: "Bash", input } as const;
  expect(await at.box.review(call)).toMatchObject({ verdict });
  return blockText((await at.box.run(call, quietRun())).content);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await Bun.sleep(5);
}

describe.skipIf(!hasSandbox)("settings that other programs read", () => {
  test.each([
    "git checkout -q other; bash evil.sh now",
    "git stash -q; bash evil.sh now",
    "git -c alias.x='!bash evil.sh now' x",
    "git -c core.fsmonitor='bash evil.sh now;:' checkout -q other",
    "git rebase -q --no-ff --exec 'bash evil.sh now' HEAD~0 || git rebase --abort",
    "git config core.fsmonitor 'bash evil.sh now;:'; git status",
    "git bisect start HEAD HEAD; git bisect run bash evil.sh now",
    "printf '[core]\\nfsmonitor = bash evil.sh now;:\\n' > ~/.gitconfig; git checkout -q other",
    "mkdir -p ~/.config/git; echo '[alias]' > ~/.config/git/config; git checkout -q other; bash evil.sh now",
  ])("are not written with %s", async (command) => {
    await run(command);
    unchanged();
  });

  test("of git, left by an earlier command, are not used by a later one", async () => {
    const settings = "'[core]\\nfsmonitor = bash evil.sh now;:\\n'";
    await run(`printf ${settings} > ~/.gitconfig; true`);
    await run(`mkdir -p ~/.config/git; printf ${settings} > ~/.config/git/config; true`);
    await run(`rm -rf ~/.config; mkdir -p ~/.config/git; echo x > ~/.config/git/config; true`);
    await run("git checkout -q other");
    expect(existsSync(path("done"))).toBe(false);
    unchanged();
  });

  describe.each(["auto", "off"] as const)("with overlays %s", (overlays) => {
    test.each([
      "git checkout -q other; setsid -f bash evil.sh wait",
      "git status; setsid -f bash evil.sh wait > /dev/null 2>&1",
      "bash evil.sh wait & git status",
      "(setsid env -i bash evil.sh wait &); git log --oneline; true",
      "git add evil.sh; nohup bash evil.sh wait > /dev/null 2>&1 &",
    ])("are out of reach of what %s leaves running: it is ended", async (command) => {
      await open(overlays);
      expect(await run(command)).toContain("was ended");
      writeFileSync(path("go"), "");
      await run("git config user.name b");
      unchanged();
    });
  });

  test("are out of reach of a line with git in the background", async () => {
    await run("git status; bash evil.sh wait", { run_in_background: true }, "ask");
    await run("git config user.name b");
    writeFileSync(path("go"), "");
    await until(() => existsSync(path("done")));
    unchanged();
  });

  test.each([
    ["the user replaces them", () => anew()],
    [
      "git makes them anew",
      () => run("git rm -q --cached .mcp.json; git stash -q -u; git stash pop"),
    ],
    ["they are removed and made", () => rmSync(path(".mcp.json"))],
    ["a tool writes them", () => write("{}\n")],
    ["a tool writes what is new", () => write("new\n")],
  ])("are put back when %s and something left running changes them", async (_, replace) => {
    await open("off");
    await run("setsid -f bash evil.sh wait > /dev/null 2>&1");
    await replace();
    const before = existsSync(path(".mcp.json")) ? text(".mcp.json") : null;
    await at.box.settle();
    writeFileSync(path("go"), "");
    await until(() => existsSync(path("done")));
    expect(await run("echo x > x")).toContain(".mcp.json");
    expect(existsSync(path(".mcp.json")) ? text(".mcp.json") : null).toBe(before);
  });

  test.each([
    ["pick", true],
    ["drop", true],
    ["exec sh evil.sh; pick", false],
    [" x sh evil.sh; pick", false],
    ["pick x; exec sh evil.sh; pick", false],
  ])("the steps of a rebase that stopped stay if none runs a program: %s", async (steps, stays) => {
    const text = steps.split("; ").join("\n");
    await run(
      `git status; mkdir .git/rebase-merge; printf '${text} a\n' > .git/rebase-merge/git-rebase-todo`,
    );
    expect(existsSync(path(".git/rebase-merge/git-rebase-todo"))).toBe(stays);
  });

  test("that a tool wrote with approval stay while something runs", async () => {
    await open("off");
    await run("setsid -f bash evil.sh wait > /dev/null 2>&1");
    await write("approved\n");
    expect(await run("echo x > x")).toBe("(no output)");
    expect(text(".mcp.json")).toBe("approved\n");
  });

  test("that the user's own git writes stay while something runs", async () => {
    await open("off");
    await run("setsid -f bash evil.sh wait > /dev/null 2>&1");
    const line = "git config alias.x log; git checkout -qb mine; git commit -q --allow-empty -m y";
    Bun.spawnSync(["sh", "-c", line], { cwd: at.root });
    expect(await run("echo x > x")).toBe("(no output)");
    expect([text(".git/HEAD"), text(".git/config")]).toEqual([
      "ref: refs/heads/mine\n",
      expect.stringContaining("alias"),
    ]);
  });
});

/** As most editors save. */
function anew(): void {
  writeFileSync(path("saved"), text(".mcp.json"));
  renameSync(path("saved"), path(".mcp.json"));
}

async function write(content: string): Promise<void> {
  const input = { file_path: ".mcp.json", content };
  await at.box.run({ type: "tool_use", id: `r${(calls += 1)}`, name: "Read", input }, quietRun());
  const call = { type: "tool_use", id: `g${(calls += 1)}`, name: "Write", input } as const;
  expect(await at.box.review(call)).toMatchObject({ verdict: "ask" });
  expect((await at.box.run(call, quietRun())).isError).toBeUndefined();
}
