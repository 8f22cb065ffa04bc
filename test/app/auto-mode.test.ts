/** A session in mode auto on the full screen: nothing is asked, and all is undone. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { room, leave } from "../tools/room.ts";
import type { MemoryTerminal } from "../ui/memory.ts";
import { idle, program, type Program } from "../ui/program.ts";

const hasSandbox = await room().then(({ box }) => box.hasSandbox());

const project: Record<string, string> = {
  "package.json": JSON.stringify({ scripts: { build: "sh build.sh", test: "sh test.sh" } }),
  "build.sh":
    "mkdir -p dist/deep && cp src/main.js dist/deep/main.js && chmod 755 dist/deep/main.js && rm -f stale.js\n",
  "test.sh":
    "mkdir -p coverage; echo 100 > coverage/lines; chmod +x tools/run; echo snapshot >> src/snap\n",
  "tools/generate.sh":
    "rm -r src/api; echo generated > src/api; mv src/old src/new; ln -sf main.js src/link; printf x > \"src/$(printf '\\377')\"\n",
  "tools/run": "echo run\n",
  "src/main.js": "export const one = 1;\n",
  "src/api/index.js": "by hand\n",
  "src/old": "old\n",
  "src/snap": "first\n",
  "stale.js": "stale\n",
};

let box: Program;
let pty: MemoryTerminal;

beforeAll(async () => {
  if (!hasSandbox) return;
  box = await program("auto-mode");
  for (const [path, content] of Object.entries(project)) {
    mkdirSync(dirname(join(box.folder, path)), { recursive: true });
    writeFileSync(join(box.folder, path), content);
  }
  chmodSync(join(box.folder, "src/old"), 0o640);
  symlinkSync("old", join(box.folder, "src/link"));
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=m", "-c", "user.email=m@x", ...args], {
      cwd: box.folder,
    });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-qm", "first");
  pty = await box.open({
    args: ["--offline", "--permission-mode", "auto"],
    cols: 110,
    rows: 40,
    isKept: true,
  });
});

afterAll(async () => {
  await pty?.close();
  await box?.remove();
  await leave();
});

/** Names, kinds, modes and contents of everything in the project. */
const state = (): string =>
  Bun.spawnSync(
    [
      "sh",
      "-c",
      "find . -path ./.git -prune -o -printf '%P %y %m %l\\n' | LC_ALL=C sort; find . -path ./.git -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum; git status --short",
    ],
    { cwd: box.folder },
  ).stdout.toString();

let runs = 0;

/** Runs a line, and waits until its end is on the screen. */
async function run(line: string): Promise<string> {
  runs += 1;
  await pty.type(`run \`${line}; echo end''ed-${runs}\`\r`);
  return pty.waitFor((shown) => shown.includes(`ended-${runs}`) && idle.test(shown));
}

test.skipIf(!hasSandbox)(
  "build, tests and a generator run unasked and are undone to the byte",
  async () => {
    const before = state();
    // Lines that name what they change: on a slow machine nothing else says whose changes these are.
    await run("sh build.sh dist stale.js");
    await run("sh test.sh coverage tools/run src/snap");
    await run("sh tools/generate.sh src");
    expect(state()).not.toBe(before);
    expect(pty.output()).not.toContain("Run a command?");
    await pty.type("/rewind\r");
    await pty.waitFor("── Rewind");
    await pty.press("tab", "tab");
    await pty.waitFor("Rewind the conversation and the files");
    await pty.type("build.sh");
    await pty.waitFor("Search: build.sh");
    await pty.press("enter");
    await pty.waitFor("Restore stale.js");
    await pty.press("enter");
    await pty.waitFor("Restored");
    expect(state()).toBe(before);
    // The message is back in the prompt, and gone from the transcript.
    await pty.waitFor((now) => /❯ run `sh build/.test(now) && !now.includes("ended-1"));
    await pty.press("ctrl+u");
    await pty.waitFor("❯ Ask");
  },
);
