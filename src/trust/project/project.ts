/** A project: its root, its files, and the user's decisions about it, which `trust.json` holds. */

import { realpath } from "node:fs/promises";
import { openRegular } from "../../base/regular-file.ts";
import { isSecret, type HomeFolders } from "../files/sensitive.ts";
import { holds } from "../../tools/workspace.ts";
import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, delimiter, isAbsolute } from "node:path";
import { childEnv } from "../../config/credentials.ts";
import { z } from "zod";
import { attempt, errorCode } from "../../base/guards.ts";
import { readJson, saveJson } from "../../config/json-file.ts";
import type { Environment } from "../../base/environment.ts";

/** The opened folder, and the root that trust is decided for; both without symlinks. */
export type Project = {
  root: string;
  folder: string;
  isTrusted: boolean;
  /** Whether the user approved a request, by hash; absent: all are approved. */
  approves?: (hash: string) => boolean;
};

/** A trusted project: its root and the opened folder in it, both without symlinks. */
export type TrustedProject = { root: string; cwd: string; homes: HomeFolders };

/** Whether a path, without symlinks, is a file of the project that holds no secret. */
export const projectFile =
  ({ root, homes }: Pick<TrustedProject, "root" | "homes">) =>
  (path: string): boolean =>
    holds(root, path) && !isSecret(path, homes);

/**
 * The start of a regular file as text, and the size of the whole file, if `accepts` allows its real path. Null
 * for everything else.
 */
export async function readStart(
  path: string,
  bytes: number,
  accepts: (realPath: string) => boolean,
): Promise<{ text: string; size: number } | null> {
  try {
    const real = await realpath(path);
    if (!accepts(real)) return null;
    await using file = await openRegular(real);
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return { text: buffer.toString("utf8", 0, bytesRead), size: Number(file.stat.size) };
  } catch {
    return null;
  }
}

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

/** The marker must belong to the user: anyone can create `.git` in a shared folder such as /tmp. */
export function isRepository(folder: string): boolean {
  const user = process.getuid?.();
  return [".git", ".hg", ".jj", ".svn"].some((name) => {
    const found = attempt(() => lstatSync(join(folder, name)), undefined);
    return found !== undefined && (user === undefined || user === 0 || found.uid === user);
  });
}

/** Where worktrees of a repository are made, relative to it; the first is ours. */
export const worktreeFolders = [".mini-claude/worktrees", ".claude/worktrees"] as const;

/** The repository whose trust covers a worktree that lies in it; null for any other folder. */
export function repositoryAround(root: string): string | null {
  const parent = dirname(root);
  const place = worktreeFolders.find((folder) => parent.endsWith(`/${folder}`));
  return place === undefined ? null : parent.slice(0, -place.length - 1);
}

/**
 * PATH without folders of the project, such as `node_modules/.bin`, and without relative ones. `root` is without
 * symlinks.
 */
export const pathOutside = (path: string, root: string): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !holds(root, realOrSame(folder)))
    .join(delimiter);

const realOrSame = (folder: string): string => attempt(() => realpathSync(folder), folder);

/** The environment for commands: no keys, and no programs of an untrusted project on its PATH. */
export function commandEnv(
  env: Environment,
  { root, isTrusted }: Pick<Project, "root" | "isTrusted">,
): Record<string, string> {
  const all = childEnv(env);
  return isTrusted ? all : { ...all, PATH: pathOutside(all["PATH"] ?? "", root) };
}

/** Identifies a request by its content, so that a changed one is asked about again. */
export const hashOf = (...value: readonly unknown[]): string =>
  new Bun.CryptoHasher("sha256").update(JSON.stringify(value)).digest("hex");

const schema = z.object({
  folders: z.record(z.string(), z.enum(["trusted", "untrusted"])),
  /** Requests of each folder, by hash. */
  asks: z.record(z.string(), z.record(z.string(), z.enum(["approved", "declined"]))).default({}),
});

type Approvals = ReadonlyMap<string, "approved" | "declined">;

export type TrustDecision = "trusted" | "untrusted";

/** By folder: absolute, without symlinks. */
type TrustDecisions = ReadonlyMap<string, TrustDecision>;

/** Throws with a sentence when the file is damaged. */
export function readTrust(file: string): TrustDecisions {
  return new Map(Object.entries(readAll(file).folders));
}

/** Throws with a sentence when the file is damaged. */
function readAll(file: string): z.infer<typeof schema> {
  const damaged = `${file} is damaged, so no folder is trusted. Correct it or remove it.`;
  try {
    return readJson(file, schema, damaged) ?? { folders: {}, asks: {} };
  } catch (error) {
    const code = errorCode(error);
    if (code === "") throw error;
    throw new Error(
      `${file} cannot be read (${code}), so no folder is trusted. Correct its permissions or remove it.`,
    );
  }
}

/** The user's decisions about a project's requests. */
export const readApprovals = (file: string, root: string): Approvals =>
  new Map(Object.entries(readAll(file).asks[root] ?? {}));

/** Adds decisions to those about a project. Throws like `saveTrust`. */
export function saveApprovals(file: string, root: string, decisions: Approvals): void {
  const all = readAll(file);
  const known = all.asks[root] ?? {};
  const asks = { ...all.asks, [root]: { ...known, ...Object.fromEntries(decisions) } };
  saveJson(file, { ...all, asks });
}

/**
 * The decision that holds for a folder: its own, else a trusted parent's. The home and `/` cover
 * nothing below them. Null: the user has not decided.
 */
export function findDecision(
  decisions: TrustDecisions,
  folder: string,
  home: string,
): TrustDecision | null {
  const own = decisions.get(folder);
  if (own) return own;
  // A repository needs its own answer: it may have been cloned into the trusted folder.
  if (isRepository(folder)) return null;
  for (let at = dirname(folder); at !== home && at !== dirname(at); at = dirname(at)) {
    const decision = decisions.get(at);
    if (decision) return decision === "trusted" ? "trusted" : null;
  }
  return null;
}

/** Null forgets the folder. Throws when the file is damaged or cannot be written. */
export function saveTrust(file: string, folder: string, decision: TrustDecision | null): void {
  const { folders, asks } = readAll(file);
  const decisions = new Map(Object.entries(folders));
  if (decision === null) {
    decisions.delete(folder);
    delete asks[folder];
  } else decisions.set(folder, decision);
  saveJson(file, { folders: Object.fromEntries(decisions), asks });
}
