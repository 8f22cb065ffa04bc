/** Whether the files of the opened folder are used: earlier decisions, questions, messages. */

import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProject, type AskTrust } from "../../../src/trust/project/trust.ts";
import { readTrust, saveTrust } from "../../../src/trust/project/project.ts";

const base = await realpath(await mkdtemp(join(tmpdir(), "open-project-")));
afterAll(() => rm(base, { recursive: true }));

let root = "";
let folder = "";
let file = "";

/** A repository with a subfolder, and a file of decisions beside it. */
beforeEach(async () => {
  const place = await mkdtemp(join(base, "case-"));
  root = join(place, "project");
  folder = join(root, "app");
  file = join(place, "trust.json");
  await mkdir(join(root, ".git"), { recursive: true });
  await mkdir(folder);
});

const open = (ask: AskTrust, { trust = false, cwd = folder } = {}) =>
  openProject(
    {
      flags: { trust },
      paths: { trust: file, mcp: join(folder, "../../mcp.json"), root: join(folder, "../../own") },
      env: { HOME: join(base, "home") },
      cwd,
    },
    ask,
  );

const never: AskTrust = () => Promise.reject(new Error("It was decided already."));

test("what was decided for the repository holds in its folders", async () => {
  saveTrust(file, root, "trusted");
  const project = { root, folder, isTrusted: true };
  expect(await open(never)).toMatchObject({ project, notices: [] });
  const link = `${root}-link`;
  await symlink(folder, link);
  expect(await open(never, { cwd: link })).toMatchObject({ project });
});

test("without a decision the user is asked about the repository, once", async () => {
  const asked: string[] = [];
  const answers = async (about: string) => {
    asked.push(about);
    return "trusted" as const;
  };
  expect(await open(answers)).toMatchObject({
    project: { root, folder, isTrusted: true },
    notices: [],
  });
  expect(asked).toEqual([root]);
  expect([...readTrust(file)]).toEqual([[root, "trusted"]]);
  expect(await open(never)).toMatchObject({ project: { isTrusted: true } });
});

test("everything that a folder would run or tell the model is named, once", async () => {
  for (const name of [
    ".claude/commands/fix.md",
    ".claude/skills/draw/SKILL.md",
    ".claude/rules/tests.md",
    ".claude/agents/scout.md",
    "app/.claude/commands/other.md",
    "app/CLAUDE.md",
  ])
    await Bun.write(join(root, name), "Words.");
  await Bun.write(join(root, ".mcp.json"), "{}");
  await Bun.write(join(root, ".claude/settings.json"), "{}");
  const [notice] = Object(await open(null)).notices;
  const [, named] = /trusted: (.*)\. Start/.exec(notice) ?? [];
  expect(named?.split(", ")).toEqual([
    "CLAUDE.md",
    ".claude/rules",
    ".claude/settings.json (hooks)",
    ".claude/agents",
    ".claude/commands",
    ".claude/skills",
    ".mcp.json",
    "git status",
  ]);
});

test("a flag trusts for one run, against an earlier decision", async () => {
  saveTrust(file, root, "untrusted");
  expect(await open(never)).toMatchObject({ project: { isTrusted: false } });
  const trusted = await open(never, { trust: true });
  expect(trusted).toMatchObject({ project: { isTrusted: true }, unused: [], notices: [] });
  expect([...readTrust(file)]).toEqual([[root, "untrusted"]]);
});

test("a worktree is trusted like the repository that it lies in", async () => {
  saveTrust(file, root, "trusted");
  const worktree = join(root, ".mini-claude", "worktrees", "fix");
  await mkdir(join(worktree, ".git"), { recursive: true });
  expect(await open(never, { cwd: worktree })).toMatchObject({
    project: { root: worktree, isTrusted: true },
  });
});
