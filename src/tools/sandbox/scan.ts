/** Finds the files of the workspace that the sandbox hides or keeps from being written. */

import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { changesEffects, type HomeFolders } from "../permission/sensitive.ts";
import { holds } from "../workspace.ts";

export type Scan = {
  /** Files and folders that may hold secrets. */
  secrets: string[];
  /** Files and folders that make something run later. */
  effects: string[];
  /** False when there was too much to look at all of it. */
  complete: boolean;
};

const entriesAtMost = 200_000;
const foldersAtOnce = 32;

/** What installers write; it belongs to nobody's secrets and is run only by name. */
const passedOver = /(?:^|\/)(?:node_modules|\.git\/(?:objects|refs|logs|lfs))$/;

/** Written by installers as a matter of course. */
const installed = /\/(?:\.?v?env|\.virtualenv)\/|\/node_modules\//;

/** What is looked for: files that must not be read, and where the home is. */
export type Wanted = { isHidden(path: string): boolean; folders: HomeFolders };

export async function scan(roots: readonly string[], wanted: Wanted): Promise<Scan> {
  const found: Scan = { secrets: [], effects: [], complete: true };
  let left = entriesAtMost;
  let open = [...roots];
  while (open.length > 0 && left > 0) {
    const now = open.splice(0, foldersAtOnce);
    const inner = await Promise.all(now.map((folder) => scanFolder(folder, roots, wanted, found)));
    for (const { entries, next } of inner) {
      left -= entries;
      open = open.concat(next);
    }
  }
  return { ...found, complete: open.length === 0 };
}

async function scanFolder(
  folder: string,
  roots: readonly string[],
  { isHidden, folders }: Wanted,
  found: Scan,
): Promise<{ entries: number; next: string[] }> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const next: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (passedOver.test(path)) continue;
    const isGit = entry.name === ".git";
    const isSecret = !isGit && isHidden(path);
    const hasEffect = !isGit && changesEffects(path, folders) && !installed.test(path);
    if (isSecret) await addSecret(path, entry.isSymbolicLink(), roots, found);
    if (hasEffect && isFixed(path)) found.effects.push(path);
    if (entry.isDirectory() && !isSecret && (isGit || !hasEffect || !isFixed(path)))
      next.push(path);
  }
  return { entries: entries.length, next };
}

/** Inside of `.git` much is written by every commit. */
const isFixed = (path: string): boolean =>
  !/\/\.git\//.test(path) ||
  /\/\.git\/(?:.*\/)?(?:hooks|config|config\.worktree|attributes)$/.test(path);

/** A link with a secret's name makes its target a secret. */
async function addSecret(
  path: string,
  isLink: boolean,
  roots: readonly string[],
  found: Scan,
): Promise<void> {
  const real = isLink ? await realpath(path).catch(() => null) : path;
  if (real !== null && roots.some((root) => holds(root, real))) found.secrets.push(real);
}
