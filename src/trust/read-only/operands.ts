/** Whether the files that a command names may be read without asking. */

import { lstat, readlink } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import type { Workspace } from "../../tools/workspace.ts";
import { isSecret, type HomeFolders } from "../sensitive.ts";

/** The files that read-only commands may read. */
export type ReadScope = {
  workspace: Workspace;
  folders: HomeFolders;
  /** Whether a rule of the settings forbids it. */
  isForbidden(path: string): boolean;
  /** The same as patterns of absolute paths. */
  forbidden: readonly string[];
};

export type ReadTarget = { path: string; kind: "file" | "folder" | "other" | "missing" };

const maxLinks = 40;

/**
 * Resolves a path as the kernel does, part by part, so that `..` after a symlink leaves the folder
 * that it leads to. Null when the path leads nowhere or through /proc.
 */
export async function follow(given: string, cwd: string): Promise<ReadTarget | null> {
  if (given === "" || given.includes("\0")) return null;
  let at = isAbsolute(given) ? "/" : cwd;
  const parts = given.split("/");
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    if (next === "/proc") return null;
    const stat = await lstat(next).catch(() => null);
    if (stat?.isSymbolicLink()) {
      links += 1;
      const target = await readlink(next).catch(() => null);
      if (target === null || links > maxLinks) return null;
      if (isAbsolute(target)) at = "/";
      parts.unshift(...target.split("/"));
    } else if (stat) at = next;
    else return parts.includes("..") ? null : { path: join(next, ...parts), kind: "missing" };
  }
  const stat = await lstat(at).catch(() => null);
  const kind = stat?.isFile() ? "file" : stat?.isDirectory() ? "folder" : "other";
  return { path: at, kind };
}

/** In the workspace, and nothing in it that may be secret by its name. */
export function isOpen(path: string, { workspace, folders, isForbidden }: ReadScope): boolean {
  if (workspace.areaOf(path) === "outside" || isForbidden(path)) return false;
  return !isSecret(path, folders);
}

/** `kinds`: what may be there; a file that does not exist is harmless. */
export async function mayRead(
  given: string,
  cwds: readonly string[],
  kinds: readonly ReadTarget["kind"][],
  scope: ReadScope,
): Promise<boolean> {
  for (const cwd of cwds) {
    const target = await follow(given, cwd);
    if (!target || !isOpen(target.path, scope)) return false;
    if (target.kind !== "missing" && !kinds.includes(target.kind)) return false;
  }
  return true;
}
