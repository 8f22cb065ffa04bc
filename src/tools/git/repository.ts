/** Finds the repository that git would use, and makes sure that git would run nothing for it. */

import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readRegular } from "../regular-file.ts";
import { holdsCredentials, isHarmlessConfig } from "./harmless-config.ts";

export type Repository = {
  /** The folder that holds `.git`. */
  root: string;
  /** Its addresses hold a password or a token. */
  credentials: boolean;
};

const configBytesAtMost = 64 * 1024;

/** Files that git reads at once; a pipe or device in their place would stop or flood it. */
const readByGit = [
  ".git/HEAD",
  ".git/index",
  ".git/packed-refs",
  ".git/shallow",
  ".git/info/grafts",
  ".git/info/exclude",
  ".git/info/attributes",
  ".gitignore",
  ".gitattributes",
];

/** Their presence makes git read configuration or objects of other places. */
const leadsElsewhere = [".git/commondir", ".git/objects/info/alternates", ".git/config.worktree"];

/**
 * The repository that `folder` (absolute, without symlinks) lies in. Null when there is none, and
 * when it is in any way unusual: a worktree, a submodule, bare, of another user, or with
 * configuration that is not known to be harmless.
 */
export async function harmlessRepository(folder: string): Promise<Repository | null> {
  for (let root = folder; ; root = dirname(root)) {
    const git = await kindOf(join(root, ".git"));
    if (git !== "missing") return git === "folder" ? examine(root) : null;
    if (await looksBare(root)) return null;
    if (root === dirname(root)) return null;
  }
}

async function examine(root: string): Promise<Repository | null> {
  const { uid } = await lstat(join(root, ".git"));
  if (process.getuid && uid !== process.getuid()) return null;
  for (const path of leadsElsewhere) {
    if ((await kindOf(join(root, path))) !== "missing") return null;
  }
  for (const path of readByGit) {
    const kind = await kindOf(join(root, path));
    if (kind !== "file" && kind !== "missing") return null;
  }
  const config = await readRegular(join(root, ".git/config"), configBytesAtMost);
  if (config === null || !isHarmlessConfig(config)) return null;
  return { root, credentials: holdsCredentials(config) };
}

/** Without a `.git`, git takes a folder with these for a repository. */
async function looksBare(folder: string): Promise<boolean> {
  const kinds = await Promise.all(
    ["HEAD", "objects", "refs"].map((name) => kindOf(join(folder, name))),
  );
  return !kinds.includes("missing");
}

type Kind = "file" | "folder" | "other" | "missing";

async function kindOf(path: string): Promise<Kind> {
  const stat = await lstat(path).catch(() => null);
  if (!stat) return "missing";
  if (stat.isFile()) return "file";
  return stat.isDirectory() ? "folder" : "other";
}
