/** A git worktree to work in: `.mini-claude/worktrees/NAME` of the repository. */

import { mkdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "../config/usage-error.ts";
import type { Environment } from "../base/environment.ts";
import { findKind, findRepository, gitFolders, type Repository } from "../trust/git/git-folders.ts";
import { runGit } from "../trust/git/run.ts";
import { pathOutside, worktreeFolders } from "../trust/project/project.ts";

const validName = /^(?!.*(?:\.\.|\.lock$|\.$))[A-Za-z0-9][\w.-]{0,63}$/;

/** Files of a large repository take a while, in milliseconds. */
const checkoutMs = 300_000;

/**
 * Opens the worktree of this name, or makes it, with a branch `worktree-NAME` at HEAD. git runs
 * nothing of the repository for that. Throws `UsageError` with a sentence.
 */
export async function enterWorktree(name: string, { cwd, env }: { cwd: string; env: Environment }) {
  if (!validName.test(name))
    throw new UsageError(`--worktree ${name}: a name may contain only letters, digits and . _ -`);
  const found = await findRepository(await realpath(cwd));
  if (found === null)
    throw new UsageError(
      "--worktree needs a git repository, and this folder is in none that you own. Run git init, or start in one.",
    );
  const repository = await mainFolder(found);
  const folder = join(repository, worktreeFolders[0], name);
  for (const place of worktreeFolders) {
    const at = join(repository, place, name);
    if ((await findKind(at)) === "missing") continue;
    if (!(await isWorktree(found, at)))
      throw new UsageError(`${at} is in the way: it is not a worktree of this repository.`);
    return { folder: at, leave: async () => "" };
  }
  const gitEnv = { PATH: pathOutside(env["PATH"] ?? "", repository), HOME: env["HOME"] ?? "" };
  const git = (...args: string[]) => runGit(found.root, args, gitEnv, { ms: checkoutMs });
  await makeParent(dirname(folder));
  const branch = `worktree-${name}`;
  const isNew = (await git("rev-parse", "--verify", "-q", `refs/heads/${branch}`)) === null;
  const how = isNew ? ["-b", branch, "--", folder, "HEAD"] : ["--", folder, branch];
  if ((await git("worktree", "add", "-q", ...how)) === null)
    throw new UsageError(
      `git could not create a worktree of ${repository}. It needs a commit, and a branch ${branch} that is not checked out elsewhere.`,
    );
  return {
    folder,
    /** Removes the worktree if git has all of its content; returns a sentence for the user. */
    async leave(): Promise<string> {
      const kept = `The worktree ${name} is kept: ${folder}, branch ${branch}.\n`;
      const inside = (...args: string[]) => runGit(folder, args, gitEnv, { ms: checkoutMs });
      const changes = await inside("status", "--porcelain", "--ignored");
      const others = [`--exclude=${branch}`, "--branches", "--remotes", "--tags"];
      const commits = await inside("rev-list", "-n", "1", "HEAD", "--not", ...others);
      if (changes !== "" || commits !== "") return kept;
      if ((await git("worktree", "remove", "--", folder)) === null) return kept;
      if (isNew) await git("branch", "-q", "-D", "--", branch);
      return `The worktree ${name} was removed: nothing had changed in it.\n`;
    },
  };
}

/** The folder that holds the repository and its worktrees; else the one that was opened. */
async function mainFolder({ root, own, common }: Repository): Promise<string> {
  const around = dirname(common);
  const isInside = own !== common && (await findKind(join(around, ".git"))) !== "missing";
  return isInside ? around : root;
}

async function isWorktree({ common }: Repository, folder: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => null);
  return real === folder && (await gitFolders(folder))?.common === common;
}

/** A link in place of one of the folders would lead out of the repository. */
async function makeParent(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) !== folder)
    throw new UsageError(`${folder} leads elsewhere through a symlink.`);
  // Without it, git would show the worktrees as untracked files.
  await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
}
