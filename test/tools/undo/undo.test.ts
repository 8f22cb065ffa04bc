/** What commands changed can be taken back, to the byte. */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Checkpoints } from "../../../src/log/checkpoints.ts";
import { planRewind, rewindFiles } from "../../../src/log/rewind-files.ts";
import { textOf } from "../../../src/protocol/block.ts";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import { leave, quietRun, room, temporaryFolder, type Room } from "../room.ts";

afterAll(leave);

let at: Room;
let store: Checkpoints;
let undo: EntryOf<"checkpoint">[];
let said: string;
let calls = 0;

beforeEach(async () => {
  store = new Checkpoints(join(temporaryFolder(), "checkpoints"));
  undo = [];
  at = await room({ checkpoint: store, undoIgnoredBytes: 50_000 });
  at.put("src/a.ts", "a\n");
  at.put("src/deep/b.bin", new Uint8Array([0, 255, 10, 13]));
  at.put(".gitignore", "dist/\nbig/\n");
  at.put("dist/old.js", "old\n");
  at.put("big/data", "x".repeat(60_000));
  at.put("run.sh", "#!/bin/sh\necho run\n");
  chmodSync(join(at.root, "run.sh"), 0o755);
  symlinkSync("src/a.ts", join(at.root, "link"));
  mkdirSync(join(at.root, "empty"));
});

async function run(command: string, more: { run_in_background?: boolean } = {}, keep = false) {
  calls += 1;
  const input = { command, ...more };
  const call = { type: "tool_use", id: `u${calls}`, name: "Bash", input } as const;
  await at.box.review(call);
  const ask = async () =>
    keep ? { allow: true as const, scope: "once" as const } : { allow: false as const };
  const outcome = await at.box.run(call, { ...quietRun(), ask });
  said = textOf(outcome.content);
  const entry = { id: `e${calls}`, parent: null, at: "", type: "checkpoint", toolUse: call.id };
  if (outcome.checkpoint) undo.push({ ...entry, type: "checkpoint", files: outcome.checkpoint });
}

/** Names, kinds, modes and contents of everything in the workspace. */
const state = (): string =>
  Bun.spawnSync(
    [
      "sh",
      "-c",
      "find . -printf '%P %y %m %l\\n' | sort; find . -type f | sort | xargs -d '\\n' md5sum",
    ],
    { cwd: at.root },
  ).stdout.toString();

const rewind = () =>
  rewindFiles(store, { undo, redo: [] }, (path) => path.slice(at.root.length + 1));

describe("is rewound to the byte", () => {
  test.each([
    "echo changed > src/a.ts",
    "printf '\\0\\1' >> src/deep/b.bin",
    "rm src/a.ts run.sh",
    "rm -rf src",
    "mkdir -p dist/x/y && echo new > dist/x/y/z.js && echo new > dist/old.js",
    "rm -rf dist && mkdir dist && echo built > dist/new.js",
    "mv src/a.ts src/c.ts; mv src/deep moved",
    "ln -sf run.sh link",
    "rm link; echo file > link",
    "rm src/a.ts; ln -s ../run.sh src/a.ts",
    "rmdir empty; mkdir other other/inner",
    "chmod -x run.sh; echo x >> run.sh",
    "touch -d 2001-01-01 src/a.ts; echo b > src/a.ts; touch -d 2001-01-01 src/a.ts",
    "sed -i s/a/b/ src/a.ts",
    "echo 1 > 'name with spaces'; echo 2 > \"quote's\"",
    "for i in 1 2 3 4 5 6; do echo $i > f$i; done",
    "X=1; node -e 'require(`fs`).writeFileSync(`src/gen.ts`, `x`)'",
  ])("%s", async (command) => {
    const before = state();
    await run(command);
    expect(state()).not.toBe(before);
    await rewind();
    expect(state()).toBe(before);
  });

  test("what several commands did, one after the other", async () => {
    const before = state();
    for (const command of ["echo 1 > src/a.ts", "echo 2 > src/a.ts; rm run.sh", "echo 3 > run.sh"])
      await run(command);
    await rewind();
    expect(state()).toBe(before);
  });

  test("a commit, with the index and the branch", async () => {
    const git = (...args: string[]) =>
      Bun.spawnSync(["git", "-c", "user.name=m", "-c", "user.email=m@x", ...args], {
        cwd: at.root,
      });
    git("init", "-q", "-b", "main");
    git("add", "src");
    git("commit", "-qm", "first");
    const head = git("rev-parse", "HEAD").stdout.toString();
    const status = git("status", "--short").stdout.toString();
    for (const command of [
      "git -c user.name=m -c user.email=m@x commit -qam second --allow-empty",
      "echo more >> src/a.ts; git add src/a.ts; git -c user.name=m -c user.email=m@x commit -qm third",
    ])
      await run(command);
    expect(git("rev-parse", "HEAD").stdout.toString()).not.toBe(head);
    await rewind();
    expect(git("rev-parse", "HEAD").stdout.toString()).toBe(head);
    expect(git("status", "--short").stdout.toString()).toBe(status);
  });
});

test("a large ignored folder is left alone", async () => {
  await run("echo x > big/data; echo y > src/a.ts");
  expect(undo.flatMap(({ files }) => files.map(({ path }) => path))).toEqual([
    join(at.root, "src/a.ts"),
  ]);
});

test("what somebody else changed since is kept, and named before", async () => {
  await run("echo new > src/a.ts; echo new > src/c.ts");
  writeFileSync(join(at.root, "src/a.ts"), "mine\n");
  const steps = await planRewind({ undo, redo: [] });
  expect(steps.map(({ how, path }) => [how, path.slice(at.root.length + 1)])).toEqual([
    ["keep", "src/a.ts"],
    ["delete", "src/c.ts"],
  ]);
  await rewind();
  expect(readFileSync(join(at.root, "src/a.ts"), "utf8")).toBe("mine\n");
});

describe("is set aside until the user has seen it", () => {
  const made = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".mini-claude/settings.json",
    ".mcp.json",
    ".vscode/tasks.json",
    ".idea/x.xml",
    ".envrc",
    ".husky/pre-commit",
    ".github/workflows/ci.yml",
    ".git/hooks/pre-commit",
    ".git/config",
    "deep/.git",
    "deep/hooks/post-checkout",
    "deep/HEAD",
    "CLAUDE.md",
    "sub/AGENTS.md",
    ".nvim.lua",
    "mise.toml",
    ".gitattributes",
    ".npmrc",
    "gradlew",
    ".devcontainer/devcontainer.json",
    "x.code-workspace",
    "sitecustomize.py",
    ".cursor/mcp.json",
    "opencode.json",
    "lefthook.yml",
    "eslint.config.mjs",
  ];

  test.each(made)("a new %s", async (path) => {
    const file = join(at.root, path);
    await run(`mkdir -p ${dirname(path)}; echo evil > ${path}; echo plain > plain.txt`);
    expect(existsSync(file)).toBe(false);
    expect(said).toContain("Not kept");
    expect(said).toContain(path);
    expect(existsSync(join(at.root, "plain.txt"))).toBe(true);
    await run(`mkdir -p ${dirname(path)}; echo wanted > ${path}`, {}, true);
    expect(readFileSync(file, "utf8")).toBe("wanted\n");
    await rewind();
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    [
      "sub/.vscode/tasks.json",
      "mv sub old; mkdir -p sub/.vscode; echo evil > sub/.vscode/tasks.json",
    ],
    ["sub/CLAUDE.md", "cp -r sub old; rm -r sub; mv old sub; echo evil > sub/CLAUDE.md"],
  ])("a changed %s", async (path, command) => {
    at.put(path, "before\n");
    await run(command);
    expect(readFileSync(join(at.root, path), "utf8")).toBe("before\n");
  });

  test("what was left in the background makes", async () => {
    await run("sleep 0.05; mkdir .claude; echo evil > .claude/settings.json", {
      run_in_background: true,
    });
    while (!existsSync(join(at.root, ".claude/settings.json"))) await Bun.sleep(5);
    await run("echo next > x");
    expect(existsSync(join(at.root, ".claude/settings.json"))).toBe(false);
    await run("sleep 0.05; mkdir .claude; echo evil > .claude/settings.json", {
      run_in_background: true,
    });
    while (!existsSync(join(at.root, ".claude/settings.json"))) await Bun.sleep(5);
    await at.box.close();
    expect(existsSync(join(at.root, ".claude/settings.json"))).toBe(false);
  });
});
