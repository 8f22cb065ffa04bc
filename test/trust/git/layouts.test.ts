/** Every layout of a repository that git makes: found, read, and written in the sandbox. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { room, temporaryFolder } from "../../tools/room.ts";
import { gitTold, projectIn } from "../program.ts";
import { sandboxHere } from "../sandbox-here.ts";
import { leaveSandboxes, sandboxOf } from "../sandbox/open.ts";

afterAll(leaveSandboxes);

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nowhere", GIT_CONFIG_NOSYSTEM: "1" };

const common =
  "-c user.name=a -c user.email=a@b -c init.defaultBranch=main -c protocol.file.allow=always".split(
    " ",
  );

function git(cwd: string, ...args: string[]): string {
  const done = Bun.spawnSync(["git", ...common, ...args], { cwd, env });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
  return done.stdout.toString().trim();
}

/** Ordinary repositories, by what is not plain about them. */
function makeRepositories(top: string): void {
  const clone = (name: string, ...args: string[]): void =>
    void git(top, "clone", "-q", ...args, "source", name);
  git(top, "init", "-q", "source");
  mkdirSync(join(top, "source/apps/web"), { recursive: true });
  writeFileSync(join(top, "source/a.txt"), "one\n");
  writeFileSync(join(top, "source/apps/web/w.txt"), "one\n");
  git(join(top, "source"), "add", "-A");
  git(join(top, "source"), "commit", "-qm", "first");
  clone("plain");
  clone("bare/.bare", "--bare");
  writeFileSync(join(top, "bare/.git"), "gitdir: ./.bare\n");
  git(join(top, "bare/.bare"), "worktree", "add", "-q", "../main", "main");
  git(join(top, "plain"), "worktree", "add", "-q", "-b", "main2", "../linked");
  git(top, "init", "-q", "super");
  git(join(top, "super"), "submodule", "-q", "add", "../source", "lib");
  git(join(top, "super"), "commit", "-qm", "lib");
  clone("sparse");
  git(join(top, "sparse"), "sparse-checkout", "set", "apps/web");
  clone("configured");
  for (const line of settings) git(join(top, "configured"), "config", ...line.split(" "));
}

/** Of partial clones, LFS, signed commits, maintenance, hooks and settings elsewhere. */
const settings = (
  "remote.origin.promisor true,remote.origin.partialclonefilter blob:none,filter.lfs.clean false," +
  "filter.lfs.process false,filter.lfs.required true,commit.gpgsign true,maintenance.auto false," +
  "maintenance.strategy incremental,alias.st status,core.hooksPath .husky/_,include.path ../own"
).split(",");

const layouts = "bare/main linked super super/lib sparse configured".split(" ");

let top = "";
beforeAll(() => {
  top = temporaryFolder();
  makeRepositories(top);
});

test.each(layouts)("git answers in %s", async (name) => {
  const told = await gitTold(projectIn(temporaryFolder(), join(top, name)));
  expect(told).toMatch(
    name === "linked" ? /^branch main2 .*, no changes/ : /^branch main, no changes/,
  );
});

/** Without a sandbox: whether git may read there unasked. */
const mayRead = async (workspace: string): Promise<boolean> => {
  const { review } = await room({ workspace, sandbox: "off" });
  return (await review("Bash", { command: "git status" })).verdict === "allow";
};

test("a .git that leads elsewhere opens nothing", async () => {
  expect(await mayRead(join(top, "plain"))).toBe(true);
  mkdirSync(join(top, "keys"));
  // Another repository, its submodule, its worktree, a folder of keys, and a common folder elsewhere.
  for (const to of [
    "plain/.git",
    "super/.git/modules/lib",
    "plain/.git/worktrees/linked",
    "keys",
    "common",
  ]) {
    const root = temporaryFolder();
    const own = to === "common";
    writeFileSync(join(root, ".git"), `gitdir: ${own ? "g" : join(top, to)}\n`);
    if (own) {
      mkdirSync(join(root, "g"));
      writeFileSync(join(root, "g/HEAD"), "ref: refs/heads/main\n");
      writeFileSync(join(root, "g/commondir"), `${join(top, "plain/.git")}\n`);
    }
    expect([to, await mayRead(root)]).toEqual([to, false]);
  }
});

describe.skipIf(!sandboxHere)("in the sandbox", () => {
  test.each(layouts)("%s: status, commit", async (name) => {
    const root = join(top, name);
    if (name === "configured") git(root, "config", "--unset", "commit.gpgsign");
    const { run } = await sandboxOf(root, temporaryFolder());
    const commit = "git -c user.name=a -c user.email=a@b commit -q -m second";
    writeFileSync(join(root, "apps-new.txt"), "new\n");
    const line = `git status --short && git add --sparse apps-new.txt && ${commit}`;
    expect(await run(line, true)).toBe("?? apps-new.txt");
    expect(git(root, "log", "-1", "--format=%s")).toBe("second");
  });

  test("a folder of a repository: the rest is seen, but not written", async () => {
    const root = join(top, "plain/apps");
    git(root, "config", "core.hooksPath", "apps/hooks");
    mkdirSync(join(root, "hooks"));
    const { bash, box } = await room({ workspace: root, mode: "auto" });
    writeFileSync(
      join(root, "run.sh"),
      "git status --short; echo x > ../a.txt; git add web; echo x > hooks/common.sh; true\n",
    );
    const said = await bash("sh run.sh");
    expect(said).toContain("?? run.sh");
    expect(said).not.toContain(" D ");
    expect(said.match(/Read-only file system/g)).toHaveLength(2);
    expect(readFileSync(join(top, "plain/a.txt"), "utf8")).toBe("one\n");
    rmSync(join(root, "run.sh"));
    await box.close();
  });

  test("hooks and settings of a repository that lies elsewhere cannot be written", async () => {
    const root = join(top, "linked");
    const settings = join(top, "plain/.git/config");
    const before = readFileSync(settings, "utf8");
    const { bash, box } = await room({ workspace: root, mode: "auto" });
    const lines = [
      `echo evil >> ${settings}`,
      `echo evil > ${join(top, "plain/.git/hooks/pre-commit")}`,
      `mv ${join(top, "plain/.git")} ${join(top, "plain/x")}`,
      "rm -f .git; echo evil > .git; true",
    ];
    writeFileSync(join(root, "work.sh"), lines.join("\n"));
    await bash("bash work.sh");
    expect(readFileSync(settings, "utf8")).toBe(before);
    expect(await Bun.file(join(top, "plain/.git/hooks/pre-commit")).exists()).toBe(false);
    expect(git(root, "status", "--porcelain")).toBe("?? work.sh");
    await box.close();
  });
});

test("folders of other users are left alone", async () => {
  if (process.getuid?.() !== 0) return;
  const root = temporaryFolder();
  git(root, "init", "-q");
  Bun.spawnSync(["chown", "nobody", join(root, ".git")]);
  expect(await mayRead(root)).toBe(false);
  rmSync(root, { recursive: true });
});
