/** Where the parts of a repository lie, in every layout that git makes. */

import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { textOfRegular } from "../../base/regular-file.ts";
import { holds } from "../../tools/workspace.ts";

/**
 * own: HEAD and the index of a worktree. common: objects, branches and settings. They differ only in a
 * linked worktree.
 */
type GitFolders = { own: string; common: string };

/** `root` holds `.git`, as a folder or a file. */
export type Repository = GitFolders & { root: string };

const maxPointerBytes = 4096;
const maxConfigBytes = 256 * 1024;

/** The repository that `folder` (absolute, without symlinks) lies in; null where git would find none. */
export async function findRepository(folder: string): Promise<Repository | null> {
  for (let root = folder; ; root = dirname(root)) {
    if ((await findKind(join(root, ".git"))) !== "missing") {
      const git = await gitFolders(root);
      return git && { root, ...git };
    }
    if (root === dirname(root) || (await looksBare(root))) return null;
  }
}

/**
 * The folders of the repository of `root` (absolute, without symlinks). A `.git` that is a file may lead
 * out of the root only to a folder that names the root in turn, as in a linked worktree and a submodule:
 * else a downloaded folder could open any repository. All must belong to the user.
 */
export async function gitFolders(root: string): Promise<GitFolders | null> {
  const git = join(root, ".git");
  const kind = await findKind(git);
  if (!(await isOwned(git))) return null;
  if (kind === "folder") return { own: git, common: git };
  const target = kind === "file" ? await pointer(git, "gitdir: ") : null;
  const own = target === null ? null : await realOrNull(resolve(root, target));
  if (own === null || !(await isOwned(own))) return null;
  const link = await pointer(join(own, "commondir"));
  const common = link === null ? own : await realOrNull(resolve(own, link));
  if (common === null || !(await isOwned(common)) || !(await looksBare(common))) return null;
  const isKnown =
    link === null
      ? holds(root, own) || (await worktreeOf(own)) === root
      : dirname(own) === join(common, "worktrees") && (await isLinkedFrom(own, git));
  return isKnown ? { own, common } : null;
}

/** The working tree of a submodule's folder. */
async function worktreeOf(own: string): Promise<string | null> {
  const config = (await textOfRegular(join(own, "config"), maxConfigBytes)) ?? "";
  const tree = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/im.exec(config)?.[1];
  return tree === undefined ? null : realOrNull(resolve(own, tree));
}

async function isLinkedFrom(own: string, git: string): Promise<boolean> {
  const back = await pointer(join(own, "gitdir"));
  const file = back === null ? null : resolve(own, back);
  const folder = file === null ? null : await realOrNull(dirname(file));
  return folder !== null && file !== null && join(folder, basename(file)) === git;
}

/** The only line of a file, without its prefix `before`; null: several lines, or another prefix. */
async function pointer(file: string, before = ""): Promise<string | null> {
  const line = /^([^\r\n\0]+)\n?$/.exec((await textOfRegular(file, maxPointerBytes)) ?? "")?.[1];
  return line?.startsWith(before) ? line.slice(before.length) : null;
}

const realOrNull = (path: string): Promise<string | null> => realpath(path).catch(() => null);

async function isOwned(path: string): Promise<boolean> {
  const stat = await lstat(path).catch(() => null);
  return stat !== null && (!process.getuid || stat.uid === process.getuid());
}

type FileKind = "file" | "folder" | "other" | "missing";

/** Symlinks are not followed. */
export async function findKind(path: string): Promise<FileKind> {
  const stat = await lstat(path).catch(() => null);
  if (!stat) return "missing";
  if (stat.isFile()) return "file";
  return stat.isDirectory() ? "folder" : "other";
}

/** Without a `.git`, git takes a folder with these for a repository. */
async function looksBare(folder: string): Promise<boolean> {
  const kinds = await Promise.all(
    ["HEAD", "objects", "refs"].map((name) => findKind(join(folder, name))),
  );
  return !kinds.includes("missing");
}
