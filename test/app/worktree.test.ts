/** `--worktree` with the real program and git, against the strict fake API. */

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, realpath, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { call, say } from "../fake-api/index.ts";
import type { Sandbox } from "../bin.ts";
import { realProgram } from "../run/real-program.ts";

const { api, env, boxWith } = realProgram("worktree");

const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"];

function git(folder: string, ...args: string[]): string {
  const run = Bun.spawnSync(["git", ...identity, ...args], { cwd: folder });
  if (!run.success) throw new Error(run.stderr.toString());
  return run.stdout.toString().trim();
}

/** A sandbox whose project is a repository with one commit. */
async function repository(files: Record<string, string> = {}): Promise<Sandbox> {
  const box = await boxWith({ "project/a.ts": "export const a = 1;\n", ...files });
  git(box.project, "init", "-q", "-b", "main");
  git(box.project, "add", "-A");
  git(box.project, "commit", "-q", "-m", "first");
  return box;
}

let calls = 0;
const uses = (name: string, input: object) => [call(name, input, `toolu_${++calls}`)];
const edit = () => uses("Write", { file_path: "new.ts", content: "export {};\n" });

const work = (box: Sandbox, ...flags: string[]) =>
  box.run(["-p", "go", "--permission-mode", "acceptEdits", ...flags], { env, cwd: box.project });

const locate = (box: Sandbox, name = "fix"): string =>
  join(box.project, ".mini-claude/worktrees", name);

test("a session works in a worktree, which is kept when it changed and used again", async () => {
  const box = await repository();
  api.next(edit(), say("ok"));
  const first = await work(box, "--worktree", "fix");
  expect(first).toMatchObject({ code: 0, out: "ok\n" });
  const folder = locate(box);
  expect(first.err).toContain(`The worktree fix is kept: ${await realpath(folder)}`);
  expect(await Bun.file(join(folder, "new.ts")).text()).toBe("export {};\n");
  expect(existsSync(join(box.project, "new.ts"))).toBe(false);
  expect(git(folder, "branch", "--show-current")).toBe("worktree-fix");
  expect(git(box.project, "status", "--porcelain")).toBe("");
  expect(JSON.stringify(api.bodies.at(-1)?.messages)).toContain(".mini-claude/worktrees/fix");

  api.next(uses("Read", { file_path: "new.ts" }), say("again"));
  expect(await work(box, "-w", "fix")).toMatchObject({ code: 0, out: "again\n" });
  expect(JSON.stringify(api.bodies.at(-1)?.messages)).toContain("export {};");
  expect(existsSync(folder)).toBe(true);
});

test("a worktree without changes is removed with its own branch; commits and ignored files count", async () => {
  const box = await repository();
  api.next(say("ok"));
  expect((await work(box, "-w", "idle")).err).toContain("The worktree idle was removed");
  expect(existsSync(locate(box, "idle"))).toBe(false);
  expect(git(box.project, "branch", "--format=%(refname:short)")).toBe("main");
  git(box.project, "branch", "worktree-mine");
  api.next(say("ok"));
  expect((await work(box, "-w", "mine")).err).toContain("The worktree mine was removed");
  expect(git(box.project, "branch", "--list", "worktree-mine")).not.toBe("");

  await Bun.write(join(box.project, ".git/info/exclude"), "new.ts\n");
  api.next(edit(), say("ok"));
  expect((await work(box, "-w", "ignored")).err).toContain("The worktree ignored is kept");

  await Bun.write(locate(box, ".gitignore"), "*\n# mine\n");
  const commit = `git ${identity.join(" ")} commit -q --allow-empty -m more`;
  api.next(uses("Bash", { command: commit }), say("ok"));
  const { err } = await work(box, "-w", "done", "--permission-mode", "bypass");
  expect(err).toContain("The worktree done is kept");
  expect(await Bun.file(locate(box, ".gitignore")).text()).toEndWith("# mine\n");
  expect(git(box.project, "log", "-1", "--format=%s", "worktree-done")).toBe("more");
});

test("the trust of the repository holds in its worktree", async () => {
  const box = await repository({ "project/AGENTS.md": "Say please." });
  api.next(say("ok"));
  expect((await work(box, "-w", "one")).err).toContain("not trusted");
  expect(JSON.stringify(api.bodies.at(-1)?.messages)).not.toContain("Say please.");
  await box.run(["trust"]);
  api.next(say("ok"));
  await work(box, "-w", "two");
  expect(JSON.stringify(api.bodies.at(-1)?.messages)).toContain("Say please.");
});

test("making a worktree runs nothing of the repository", async () => {
  const box = await repository();
  const ran = join(box.root, "ran");
  const files = [".git/hooks/post-checkout", "bin/git"].map((file) => join(box.project, file));
  for (const file of files) await Bun.write(file, `#!/bin/sh\ntouch ${ran}\nexit 1\n`);
  Bun.spawnSync(["chmod", "+x", ...files]);
  api.next(say("ok"));
  const PATH = `${join(box.project, "bin")}:${process.env["PATH"]}`;
  expect(
    (await box.run(["-p", "go", "-w", "hooked"], { env: { ...env, PATH }, cwd: box.project })).code,
  ).toBe(0);
  git(box.project, "config", "filter.x.smudge", `touch ${ran}`);
  await Bun.write(join(box.project, ".git/info/attributes"), "* filter=x\n");
  api.next(say("ok"));
  expect((await work(box, "-w", "filtered")).code).toBe(0);
  expect(existsSync(ran)).toBe(false);
});

test("names and folders that cannot be used are refused", async () => {
  const box = await repository();
  for (const name of ["../out", "a/b", "-x", "a..b", "a.lock"]) {
    const { code, err } = await work(box, `--worktree=${name}`);
    expect({ name, code }).toEqual({ name, code: 2 });
    expect(err).toContain("--worktree");
  }
  await symlink(box.root, join(box.project, ".mini-claude"));
  expect((await work(box, "-w", "linked")).err).toContain("leads elsewhere through a symlink");
  const plain = await boxWith({});
  expect((await work(plain, "-w", "any")).err).toContain("needs a git repository");
});

test("what lies at the worktree's place is used only if it is a worktree of the repository", async () => {
  const box = await repository();
  const project = await realpath(box.project);
  const place = join(project, ".claude/worktrees/fix");
  const others: (() => Promise<unknown>)[] = [
    () => mkdir(place),
    () => Bun.write(place, "a file"),
    async () => git(dirname(place), "init", "-q", "fix"),
    async () => {
      git(project, "worktree", "add", "-q", join(box.root, "elsewhere"));
      await symlink(join(box.root, "elsewhere"), place);
    },
  ];
  await mkdir(dirname(place), { recursive: true });
  for (const put of others) {
    await put();
    expect((await work(box, "-w", "fix")).err).toContain(`${place} is in the way`);
    await rm(place, { recursive: true });
  }
  git(project, "worktree", "add", "-q", place);
  api.next(edit(), say("ok"));
  await work(box, "-w", "fix");
  expect(existsSync(join(place, "new.ts"))).toBe(true);
});

test("worktrees of a bare repository lie beside each other", async () => {
  const box = await repository();
  const top = join(await realpath(box.root), "proj");
  git(box.root, "clone", "-q", "--bare", box.project, join(top, ".bare"));
  await Bun.write(join(top, ".git"), "gitdir: ./.bare\n");
  git(join(top, ".bare"), "worktree", "add", "-q", "../main");
  const place = join(top, ".mini-claude/worktrees/fix");
  api.next(edit(), say("ok"), say("again"));
  await work({ ...box, project: join(top, "main") }, "-w", "fix");
  expect(existsSync(join(place, "new.ts"))).toBe(true);
  expect(await work({ ...box, project: top }, "-w", "fix")).toMatchObject({ out: "again\n" });
  expect(JSON.stringify(api.bodies.at(-1)?.messages)).toContain(place);
});
