/**
 * Worktrees made by `git worktree add`: treated like the repository, unless anything about them is
 * unusual.
 */

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Checkpoints } from "../../../src/log/checkpoints.ts";
import { rewindFiles } from "../../../src/log/rewind-files.ts";
import { blockText } from "../../../src/protocol/block.ts";
import { harmlessRepository } from "../../../src/trust/git/repository.ts";
import { runGit } from "../../../src/trust/git/run.ts";
import { leave, quietRun, room, temporaryFolder } from "../../tools/room.ts";
import { sandboxHere } from "../sandbox-here.ts";

afterAll(leave);

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" };

function git(cwd: string, ...args: string[]): string {
  const all = ["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args];
  const done = Bun.spawnSync(all, { cwd, env });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
  return done.stdout.toString().trim();
}

type Trees = { main: string; linked: string; own: string; common: string };

/** Made by git once: tests work on copies. */
const template = makeTrees(temporaryFolder());
git(template.main, "init", "-q", "-b", "main");
writeFileSync(join(template.main, "a.txt"), "one\n");
git(template.main, "add", "-A");
git(template.main, "commit", "-qm", "first");
git(template.main, "worktree", "add", "-q", template.linked);
writeFileSync(join(template.linked, "a.txt"), "two\n");

function makeTrees(top: string): Trees {
  const main = join(top, "main");
  mkdirSync(main);
  const common = join(main, ".git");
  return { main, linked: join(top, "linked"), common, own: join(common, "worktrees/linked") };
}

function trees(): Trees {
  const at = makeTrees(temporaryFolder());
  for (const folder of ["main", "linked"] as const)
    cpSync(template[folder], at[folder], { recursive: true, preserveTimestamps: true });
  writeFileSync(join(at.linked, ".git"), `gitdir: ${at.own}\n`);
  writeFileSync(join(at.own, "gitdir"), `${join(at.linked, ".git")}\n`);
  return at;
}

const status = (folder: string) => runGit(folder, ["status", "--porcelain"], env);

test("git answers in a linked worktree and below its root", async () => {
  const at = trees();
  expect(await status(at.linked)).toBe(" M a.txt");
  mkdirSync(join(at.linked, "sub"));
  expect(await runGit(join(at.linked, "sub"), ["branch", "--show-current"], env)).toBe("linked");
  expect(await harmlessRepository(at.linked)).toEqual({ root: at.linked, credentials: false });
});

test("one in a folder of the main worktree, and one with relative paths, are linked, too", async () => {
  const at = trees();
  const inner = join(at.main, "trees/inner");
  git(at.main, "worktree", "add", "-q", inner);
  expect(await status(inner)).toBe("");
  writeFileSync(join(inner, ".git"), "gitdir: ../../.git/worktrees/inner\n");
  expect(await status(inner)).toBe("");
});

const replaced = (path: string, text: string) => {
  rmSync(path, { recursive: true, force: true });
  writeFileSync(path, text);
};

function pipe(path: string): void {
  rmSync(path, { force: true });
  Bun.spawnSync(["mkfifo", path]);
}

/** Moves a folder or file away and leaves a symlink in its place. */
function linkAway(path: string): void {
  const elsewhere = join(temporaryFolder(), "elsewhere");
  renameSync(path, elsewhere);
  symlinkSync(elsewhere, path);
}

const evil = '[filter "x"]\n\tclean = touch pwned; cat\n';

const odd: Record<string, (at: Trees) => void> = {
  "configuration that runs something": ({ common }) => appendFileSync(join(common, "config"), evil),
  "configuration of the worktree": ({ own }) => writeFileSync(join(own, "config.worktree"), evil),
  "configuration of the main worktree": ({ common }) =>
    writeFileSync(join(common, "config.worktree"), evil),
  "a pipe as configuration": ({ common }) => pipe(join(common, "config")),
  "a pipe as index": ({ own }) => pipe(join(own, "index")),
  "a pipe as HEAD": ({ own }) => pipe(join(own, "HEAD")),
  "a pipe as .git": ({ linked }) => pipe(join(linked, ".git")),
  "a pipe as commondir": ({ own }) => pipe(join(own, "commondir")),
  "a pipe as gitdir": ({ own }) => pipe(join(own, "gitdir")),
  "a symlink as .git": ({ linked }) => linkAway(join(linked, ".git")),
  "a symlink as gitdir": ({ own }) => linkAway(join(own, "gitdir")),
  "a symlink to the folder of the worktree": ({ own }) => linkAway(own),
  "objects of another repository": ({ common }) => linkAway(join(common, "objects")),
  "refs of another repository": ({ common }) => linkAway(join(common, "refs")),
  alternates: ({ common }) => {
    mkdirSync(join(common, "objects/info"), { recursive: true });
    writeFileSync(join(common, "objects/info/alternates"), "/tmp\n");
  },
  "another common folder": ({ own }) => writeFileSync(join(own, "commondir"), "../../../evil\n"),
  "no common folder": ({ own }) => rmSync(join(own, "commondir")),
  "a common folder of the common folder": ({ common }) =>
    writeFileSync(join(common, "commondir"), "/tmp\n"),
  "no way back": ({ own }) => rmSync(join(own, "gitdir")),
  "a way back to another worktree": ({ own }) => writeFileSync(join(own, "gitdir"), "/x/.git\n"),
  "a second line in .git": ({ linked, own }) =>
    writeFileSync(join(linked, ".git"), `gitdir: ${own}\nx\n`),
  "no address in .git": ({ linked }) => writeFileSync(join(linked, ".git"), "\n"),
  "an enormous .git": ({ linked, own }) =>
    writeFileSync(join(linked, ".git"), `gitdir: ${"/".repeat(100_000)}${own}\n`),
  "the main .git as its own": ({ linked, common }) =>
    replaced(join(linked, ".git"), `gitdir: ${common}\n`),
  "a bare repository": ({ main, linked }) => {
    const bare = join(main, "../bare.git");
    git(main, "clone", "-q", "--bare", ".", bare);
    git(main, "worktree", "remove", "--force", linked);
    git(bare, "worktree", "add", "-q", linked);
  },
  "a repository in a folder of the worktree": ({ linked, own, common }) => {
    Bun.spawnSync(["cp", "-r", common, join(linked, "evil")]);
    writeFileSync(join(linked, ".git"), `gitdir: ${join(linked, "evil/worktrees/linked")}\n`);
    rmSync(own, { recursive: true });
  },
};

test.each(Object.entries(odd))("with %s, git is not run", async (_, prepare) => {
  const at = trees();
  expect(await status(at.linked)).toBe(" M a.txt");
  prepare(at);
  writeFileSync(join(at.linked, ".gitattributes"), "* filter=x\n");
  expect(await status(at.linked)).toBeNull();
  expect(existsSync(join(at.linked, "pwned"))).toBe(false);
});

test.skipIf(process.getuid?.() !== 0)("with a .git of another user, git is not run", async () => {
  const at = trees();
  Bun.spawnSync(["chown", "nobody", at.own]);
  expect(await status(at.linked)).toBeNull();
});

describe.skipIf(!sandboxHere)("in the sandbox", () => {
  let at: Trees;
  let box: Awaited<ReturnType<typeof room>>;
  beforeEach(async () => {
    at = trees();
    box = await room({ workspace: at.linked });
  });

  let calls = 0;
  async function run(command: string, verdict: "allow" | "ask"): Promise<string> {
    calls += 1;
    const call = { type: "tool_use", id: `t${calls}`, name: "Bash", input: { command } } as const;
    expect((await box.box.review(call)).verdict).toBe(verdict);
    return blockText((await box.box.run(call, quietRun())).content);
  }

  test("git looks and works", async () => {
    expect(await run("git status --short", "allow")).toBe(" M a.txt");
    expect(await run("git diff | grep two", "allow")).toContain("+two");
    await run("git -c user.name=a -c user.email=a@b commit -qam second", "ask");
    expect(git(at.linked, "log", "-1", "--format=%s")).toBe("second");
    await run("git checkout -q -b other", "ask");
    expect(git(at.linked, "branch", "--show-current")).toBe("other");
  });

  test.each([
    "echo evil >> ../main/.git/config",
    "echo evil > ../main/.git/hooks/pre-commit",
    "mv ../main/.git/hooks ../main/.git/h",
    "echo evil > .git",
    "mv .git x",
    "rm -f .git",
    "git checkout -q -b x && echo evil > ../main/.git/hooks/pre-commit",
  ])("%j changes nothing that git runs", async (command) => {
    const seen = () =>
      [join(at.linked, ".git"), join(at.common, "config")].map((path) =>
        readFileSync(path, "utf8"),
      );
    const before = seen();
    await run(command, "ask");
    expect(seen()).toEqual(before);
    expect(existsSync(join(at.common, "hooks/pre-commit"))).toBe(false);
  });
});

describe("what a command does to the repository of a linked worktree", () => {
  const hooks = [
    "git status; mkdir -p $(git rev-parse --git-common-dir)/hooks; echo evil > $(git rev-parse --git-common-dir)/hooks/post-commit",
    "git status; printf evil > $(git rev-parse --git-common-dir)/hooks/pre-push",
    "git status; mkdir -p $(git rev-parse --git-common-dir)/info; echo '* filter=x' > $(git rev-parse --git-common-dir)/info/attributes",
    "git status; echo ../evil > $(git rev-parse --git-dir)/gitdir",
    "git status; echo x > $(git rev-parse --git-common-dir)/config.worktree",
  ];

  test.each(hooks)("is not run later: %s", async (command) => {
    const at = trees();
    rmSync(join(at.common, "hooks"), { recursive: true });
    const list = () => Bun.spawnSync(["find", at.common, "-type", "f"]).stdout.toString();
    const before = list();
    const { box } = await room({ workspace: at.linked, mode: "auto" });
    const call = { type: "tool_use", id: "w", name: "Bash", input: { command } } as const;
    await box.review(call);
    await box.run(call, quietRun());
    expect(list()).toBe(before);
    expect(readFileSync(join(at.own, "gitdir"), "utf8")).toBe(`${join(at.linked, ".git")}\n`);
    await box.close();
  });

  test.each([
    "git -c user.name=a -c user.email=a@b commit -qam second",
    "git branch other; git tag mark",
    "git add -A; git reset -q --hard",
    "git stash -q",
    "git status; rm -r $(git rev-parse --git-common-dir)/refs/heads/main",
  ])("is undone: %s", async (command) => {
    const at = trees();
    const refs = () => git(at.linked, "for-each-ref") + (git(at.linked, "stash", "list") || "");
    const before = refs() + readFileSync(join(at.linked, "a.txt"), "utf8");
    const store = new Checkpoints(join(temporaryFolder(), "checkpoints"));
    const { box } = await room({ workspace: at.linked, mode: "auto", checkpoint: store });
    const call = { type: "tool_use", id: "w", name: "Bash", input: { command } } as const;
    await box.review(call);
    const { checkpoint: files = [] } = await box.run(call, quietRun());
    const undo = [
      { type: "checkpoint", id: "c", parent: null, at: "", toolUse: "w", files } as const,
    ];
    await rewindFiles(store, { undo, redo: [] }, (path) => path);
    expect(refs() + readFileSync(join(at.linked, "a.txt"), "utf8")).toBe(before);
    await box.close();
  });
});
