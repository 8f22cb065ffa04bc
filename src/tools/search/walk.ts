/** The files of a folder that are not ignored, hidden or links. */

import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Ignore } from "ignore";
import { readRegular } from "../regular-file.ts";

type WalkOptions = {
  /** Files and folders whose name begins with a dot as well; `.git` never. */
  hidden: boolean;
  signal: AbortSignal;
};

/** The rules of one .gitignore, relative to its folder. */
type IgnoreRules = { folder: string; ignore: Ignore };

/** Only surrogates have another order in UTF-16 than in UTF-8. */
const surrogates = /[\ud800-\udfff]/;

function byBytes({ name: a }: { name: string }, { name: b }: { name: string }): number {
  if (surrogates.test(a) || surrogates.test(b))
    return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Folders of installed packages. */
const dependencyFolders = [
  "node_modules",
  "bower_components",
  "vendor",
  "venv",
  "site-packages",
  "__pycache__",
  "Pods",
];

/** Names of folders to skip: those of installed packages, unless a .gitignore decides. */
async function skippedFolders(folder: string): Promise<readonly string[]> {
  const decided = (await rulesOf(folder)) !== null || (await rulesAbove(folder)).length > 0;
  return decided ? [] : dependencyFolders;
}

/** Absolute paths, folder by folder, sorted by the bytes of their names. Unreadable folders are skipped. */
export async function* walkFiles(folder: string, options: WalkOptions): AsyncGenerator<string> {
  const skipped = await skippedFolders(folder);
  const open = [await listing(folder, await rulesAbove(folder))];
  for (let at = open.at(-1); at !== undefined && !options.signal.aborted; at = open.at(-1)) {
    const { files, next } = walkOn(at, { ...options, skipped });
    yield* files;
    if (next === null) open.pop();
    else open.push(await listing(next, at.rules));
  }
}

/** A folder that is being walked. */
type Listing = {
  folder: string;
  rules: readonly IgnoreRules[];
  entries: readonly Dirent[];
  /** The first entry that was not looked at. */
  from: number;
};

async function listing(folder: string, above: readonly IgnoreRules[]): Promise<Listing> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const has = (name: string): boolean => entries.some((entry) => entry.name === name);
  // The rules of an outer repository do not apply in an inner one.
  const inner = has(".git") ? [] : above;
  const own = has(".gitignore") ? await rulesOf(folder) : null;
  const rules = own ? [...inner, own] : inner;
  return { folder, rules, entries: entries.toSorted(byBytes), from: 0 };
}

/** The files before the next folder to walk; null: there is none. */
function walkOn(
  at: Listing,
  { hidden, skipped }: WalkOptions & { skipped: readonly string[] },
): { files: string[]; next: string | null } {
  const files: string[] = [];
  while (at.from < at.entries.length) {
    const entry = at.entries[at.from++];
    if (entry === undefined || entry.name === ".git") continue;
    if (!hidden && entry.name.startsWith(".")) continue;
    const path = at.folder.endsWith(sep) ? at.folder + entry.name : at.folder + sep + entry.name;
    if (entry.isDirectory()) {
      if (!skipped.includes(entry.name) && !isIgnored(path, true, at.rules))
        return { files, next: path };
    } else if (entry.isFile() && !isIgnored(path, false, at.rules)) files.push(path);
  }
  return { files, next: null };
}

/** The innermost rule that applies decides. */
function isIgnored(path: string, folder: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const one of rules.toReversed()) {
    const way = path.slice(one.folder === sep ? 1 : one.folder.length + 1).replaceAll(sep, "/");
    const { ignored, unignored } = one.ignore.test(folder ? `${way}/` : way);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

/** A larger .gitignore is ignored. */
const rulesBytesAtMost = 1024 * 1024;

async function rulesOf(folder: string): Promise<IgnoreRules | null> {
  const text = await readRegular(join(folder, ".gitignore"), rulesBytesAtMost);
  if (text === null) return null;
  const { default: ignore } = await import("ignore");
  return { folder, ignore: ignore({ allowRelativePaths: true, ignoreCase: false }).add(text) };
}

/** Rules of the folders above, up to the top of the repository or of the disk. */
async function rulesAbove(folder: string): Promise<IgnoreRules[]> {
  const rules: IgnoreRules[] = [];
  const top = await repositoryOf(folder);
  for (let at = folder; at !== top && at !== dirname(at);) {
    at = dirname(at);
    const one = await rulesOf(at);
    if (one) rules.unshift(one);
  }
  return rules;
}

/** The nearest folder with a `.git`, itself or above; null if there is none. */
async function repositoryOf(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    if (await stat(join(at, ".git")).catch(() => null)) return at;
    if (at === dirname(at)) return null;
  }
}
