/** Locates a repository's data: in its `.git`, or for a linked worktree in the main one's. */

import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { textOfRegular } from "../../base/regular-file.ts";

type GitFolders = {
  /** `HEAD` and the index; `.git/worktrees/NAME` for a linked worktree. */
  own: string;
  /** Configuration, objects and refs; the same as `own` except in a linked worktree. */
  common: string;
};

const maxPointerBytes = 8 * 1024;

/**
 * The folders of `root` (absolute, without symlinks), when its `.git` is a folder, or a file as
 * written by `git worktree add`: it names a folder in the `.git/worktrees` of a repository, which
 * names it in turn. Both must belong to the user. Null otherwise, as for a submodule.
 */
export async function gitFolders(root: string): Promise<GitFolders | null> {
  const git = join(root, ".git");
  const kind = await findKind(git);
  if (kind === "folder") return (await isOwned(git)) ? { own: git, common: git } : null;
  const target = kind === "file" && (await isOwned(git)) ? await pointer(git, "gitdir: ") : null;
  const own = target === null ? null : await realpath(resolve(root, target)).catch(() => null);
  if (own === null) return null;
  const common = dirname(dirname(own));
  if (basename(dirname(own)) !== "worktrees" || basename(common) !== ".git") return null;
  if (!(await isOwned(own)) || !(await isOwned(common))) return null;
  const pointsBack = (await pointer(join(own, "commondir"))) === "../..";
  const back = await pointer(join(own, "gitdir"));
  return pointsBack && back !== null && (await isSame(resolve(own, back), git))
    ? { own, common }
    : null;
}

/** The one line of a file, after `before`. */
async function pointer(file: string, before = ""): Promise<string | null> {
  const line = /^([^\r\n\0]+)\n?$/.exec((await textOfRegular(file, maxPointerBytes)) ?? "")?.[1];
  return line?.startsWith(before) ? line.slice(before.length) : null;
}

async function isSame(file: string, git: string): Promise<boolean> {
  const folder = await realpath(dirname(file)).catch(() => null);
  return folder !== null && join(folder, basename(file)) === git;
}

async function isOwned(path: string): Promise<boolean> {
  const stat = await lstat(path).catch(() => null);
  return stat !== null && (!process.getuid || stat.uid === process.getuid());
}

export type FileKind = "file" | "folder" | "other" | "missing";

/** Symlinks are not followed. */
export async function findKind(path: string): Promise<FileKind> {
  const stat = await lstat(path).catch(() => null);
  if (!stat) return "missing";
  if (stat.isFile()) return "file";
  return stat.isDirectory() ? "folder" : "other";
}
