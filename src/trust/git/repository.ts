/** Finds the repository that git would use, and makes sure that git would run nothing for it. */

import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { textOfRegular } from "../../base/regular-file.ts";
import { gitFolders, findKind } from "./git-folders.ts";
import { holdsCredentials, isHarmlessConfig } from "./harmless-config.ts";

export type Repository = {
  /** The folder that holds `.git`. */
  root: string;
  /** Its addresses hold a password or a token. */
  credentials: boolean;
};

const maxConfigBytes = 64 * 1024;

/** Files that git reads at once; a pipe or device in their place would stop or flood it. */
const files = {
  root: [".gitignore", ".gitattributes"],
  own: ["HEAD", "index"],
  common: ["HEAD", "packed-refs", "shallow", "info/grafts", "info/exclude", "info/attributes"],
};

/** A symlink in place of one of these folders leads to objects and refs of another repository. */
const folders = ["info", "objects", "objects/info", "objects/pack", "refs", "refs/heads"];

/** Their presence makes git read configuration or objects of other places. */
const leadsElsewhere = ["commondir", "objects/info/alternates", "config.worktree"];

/**
 * The repository that `folder` (absolute, without symlinks) lies in; it may be a linked worktree.
 * Null when there is none, and when it is in any way unusual: a submodule, bare, of another user, or
 * with configuration that is not known to be harmless.
 */
export async function harmlessRepository(folder: string): Promise<Repository | null> {
  for (let root = folder; ; root = dirname(root)) {
    if ((await findKind(join(root, ".git"))) !== "missing") return examine(root);
    if (root === dirname(root) || (await looksBare(root))) return null;
  }
}

async function examine(root: string): Promise<Repository | null> {
  const git = await gitFolders(root);
  if (git === null) return null;
  const { own, common } = git;
  const absent = [
    ...leadsElsewhere.map((path) => join(common, path)),
    join(own, "config.worktree"),
  ];
  const plain = [
    ...files.root.map((path) => join(root, path)),
    ...files.own.map((path) => join(own, path)),
    ...files.common.map((path) => join(common, path)),
  ];
  const inside = [...folders.map((path) => join(common, path)), join(own, "refs")];
  const isEvery = async (paths: readonly string[], kind: "file" | "folder" | null) =>
    (await Promise.all(paths.map(findKind))).every(
      (found) => found === "missing" || found === kind,
    );
  const isOrdinary =
    (await isEvery(absent, null)) &&
    (await isEvery(plain, "file")) &&
    (await isEvery(inside, "folder"));
  if (!isOrdinary || (await holdsLinks(join(common, "objects")))) return null;
  const config = await textOfRegular(join(common, "config"), maxConfigBytes);
  if (config === null || !isHarmlessConfig(config)) return null;
  return { root, credentials: holdsCredentials(config) };
}

/** Links among the objects lead to what another repository holds. */
async function holdsLinks(objects: string): Promise<boolean> {
  const folders = [objects, join(objects, "pack"), join(objects, "info")];
  const entries = await Promise.all(
    folders.map((folder) => readdir(folder, { withFileTypes: true }).catch(() => [])),
  );
  return entries.flat().some((entry) => entry.isSymbolicLink());
}

/** Without a `.git`, git takes a folder with these for a repository. */
export async function looksBare(folder: string): Promise<boolean> {
  const kinds = await Promise.all(
    ["HEAD", "objects", "refs"].map((name) => findKind(join(folder, name))),
  );
  return !kinds.includes("missing");
}
