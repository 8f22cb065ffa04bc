import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The folder that trust is decided for, without symlinks: the root of the repository that `cwd` lies
 * in, else `cwd` itself. The home (without symlinks) and `/` are never the root of anything below them.
 */
export function projectRoot(cwd: string, home: string): string {
  const start = realpathSync(cwd);
  for (
    let folder = start;
    folder !== home && folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    if (isRepository(folder)) return folder;
  }
  return start;
}

/** Anyone could put a `.git` into a shared folder such as /tmp: it must be the user's. */
function isRepository(folder: string): boolean {
  const git = lstatSync(join(folder, ".git"), { throwIfNoEntry: false });
  const user = process.getuid?.();
  return git !== undefined && (user === undefined || user === 0 || git.uid === user);
}

/** Where worktrees of a repository are made, relative to it; the first is ours. */
export const worktreeFolders = [".mini-claude/worktrees", ".claude/worktrees"] as const;

/** The repository whose trust covers a worktree that lies in it; null for any other folder. */
export function repositoryAround(root: string): string | null {
  const parent = dirname(root);
  const place = worktreeFolders.find((one) => parent.endsWith(`/${one}`));
  return place === undefined ? null : parent.slice(0, -place.length - 1);
}
