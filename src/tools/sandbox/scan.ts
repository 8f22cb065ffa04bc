/** Finds the files of the workspace that the sandbox hides or keeps from being written. */

import { lstatSync, type Stats } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { changesEffects, type HomeFolders } from "../permission/sensitive.ts";
import { holds } from "../workspace.ts";

type Scan = {
  /** Files and folders that may hold secrets. */
  secrets: string[];
  /** Files and folders that make something run later. */
  effects: string[];
  /** False when there was too much to look at all of it. */
  complete: boolean;
};

const entriesAtMost = 200_000;
const foldersAtOnce = 256;

/** What installers write; it belongs to nobody's secrets and is run only by name. */
const passedOver = /(?:^|\/)(?:node_modules|\.git\/(?:objects|refs|logs|lfs))$/;

/** Written by installers as a matter of course. */
const installed = /\/(?:\.?v?env|\.virtualenv)\/|\/node_modules\//;

/** What is looked for: files that must not be read, and where the home is. */
export type Wanted = { isHidden(path: string): boolean; folders: HomeFolders };

/** What was found in one folder, and how to tell whether that has changed. */
type Folder = {
  /** Null while its time of change is so young that the next change could have the same. */
  stamp: string | null;
  entries: number;
  secrets: readonly string[];
  /** Symlinks with a secret's name: what they lead to is a secret. */
  links: readonly string[];
  effects: readonly string[];
  inner: readonly string[];
};

/** Looks before every command, but reads a folder again only when its entries have changed. */
export class Scanner {
  readonly #roots: readonly string[];
  readonly #wanted: Wanted;
  readonly #now: () => number;
  #known: ReadonlyMap<string, Folder> = new Map();

  constructor(roots: readonly string[], wanted: Wanted, now: () => number = Date.now) {
    this.#roots = roots;
    this.#wanted = wanted;
    this.#now = now;
  }

  async scan(): Promise<Scan> {
    const known = this.#known;
    const folders = new Map<string, Folder>();
    let left = entriesAtMost;
    let open: string[] = [...this.#roots];
    const keep = (path: string, folder: Folder): void => {
      folders.set(path, folder);
      left -= folder.entries;
      open.push(...folder.inner);
    };
    while (open.length > 0 && left > 0) {
      const now = open.slice(0, foldersAtOnce);
      open = open.slice(foldersAtOnce);
      const changed = now.flatMap((path) => {
        const stamp = stampOf(path, this.#now());
        const before = stamp === null ? undefined : known.get(path);
        if (before?.stamp !== stamp) return [{ path, stamp }];
        keep(path, before);
        return [];
      });
      const read = changed.map(async ({ path, stamp }) =>
        keep(path, await readFolder(path, stamp, this.#wanted)),
      );
      if (read.length > 0) await Promise.all(read);
    }
    this.#known = folders;
    return this.#together([...folders.values()], open.length === 0);
  }

  async #together(all: readonly Folder[], complete: boolean): Promise<Scan> {
    const links = await Promise.all(all.flatMap((folder) => folder.links).map(targetOf));
    const targets = links.filter((path) => this.#roots.some((root) => holds(root, path)));
    return {
      secrets: all.flatMap((folder) => folder.secrets).concat(targets),
      effects: all.flatMap((folder) => folder.effects),
      complete,
    };
  }
}

async function readFolder(
  folder: string,
  stamp: string | null,
  { isHidden, folders }: Wanted,
): Promise<Folder> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const secrets: string[] = [];
  const links: string[] = [];
  const effects: string[] = [];
  const inner: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (passedOver.test(path)) continue;
    const isGit = entry.name === ".git";
    const isSecret = !isGit && isHidden(path);
    const hasEffect = !isGit && changesEffects(path, folders) && !installed.test(path);
    if (isSecret) (entry.isSymbolicLink() ? links : secrets).push(path);
    // As a file, .git says where the repository is, and so what git runs.
    if ((isGit && entry.isFile()) || (hasEffect && isFixed(path))) effects.push(path);
    if (entry.isDirectory() && !isSecret && (isGit || !hasEffect || !isFixed(path)))
      inner.push(path);
  }
  return { stamp, entries: entries.length, secrets, links, effects, inner };
}

/** Longer than any file system takes to tell two changes apart, in milliseconds. */
const youngMs = 3_000;

/** Changes with the entries of a folder: nobody can set the time when its status changed. */
function stampOf(folder: string, nowMs: number): string | null {
  const stat = statOf(folder);
  if (!stat || Math.max(stat.ctimeMs, stat.mtimeMs) > nowMs - youngMs) return null;
  return `${stat.dev} ${stat.ino} ${stat.ctimeMs} ${stat.mtimeMs}`;
}

function statOf(folder: string): Stats | null {
  try {
    return lstatSync(folder);
  } catch {
    return null;
  }
}

/** Inside of `.git` much is written by every commit. */
const isFixed = (path: string): boolean =>
  !/\/\.git\//.test(path) ||
  /\/\.git\/(?:.*\/)?(?:hooks|config|config\.worktree|attributes)$/.test(path);

/** Empty for a link that leads nowhere. */
const targetOf = (link: string): Promise<string> => realpath(link).catch(() => "");
