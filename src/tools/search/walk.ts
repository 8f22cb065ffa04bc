/** The files of a folder that are not ignored, hidden or links. */

import { readdir, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import type { Ignore } from "ignore";
import { readRegular } from "../regular-file.ts";

type WalkOptions = {
  /** Files and folders whose name begins with a dot as well; `.git` never. */
  hidden: boolean;
  signal: AbortSignal;
  /** Asked for every file, by the way to it with forward slashes. Absent: all are wanted. */
  wants?(way: string): boolean;
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
  const walk = {
    ...options,
    skipped: await skippedFolders(folder),
    top: folder.endsWith(sep) ? folder.length : folder.length + 1,
  };
  const open = [await listing(folder, await rulesAbove(folder), walk)];
  for (let at = open.at(-1); at !== undefined && !options.signal.aborted; at = open.at(-1)) {
    const { entries } = at;
    let entry = entries[at.from];
    for (; entry && !entry.isFolder; entry = entries[++at.from]) yield entry.path;
    const next = await nextFolder(at, walk);
    if (next === null) open.pop();
    else open.push(next);
  }
}

type Walk = WalkOptions & {
  skipped: readonly string[];
  /** Characters of a path before the way from the folder of the search. */
  top: number;
};

/** A folder that is being walked. */
type Listing = {
  /** From the innermost folder outwards. */
  rules: readonly IgnoreRules[];
  entries: readonly { path: string; isFolder: boolean }[];
  /** The first entry that was not looked at. */
  from: number;
  /** Its next folders, being read while earlier ones are walked. */
  ahead: Promise<Listing>[];
  /** The first entry whose folder is not being read. */
  unread: number;
};

/** Folders that are read before they are needed. */
const readAhead = 4;

async function nextFolder(at: Listing, walk: Walk): Promise<Listing | null> {
  while (at.ahead.length < readAhead && at.unread < at.entries.length) {
    const entry = at.entries[at.unread++];
    if (entry?.isFolder) at.ahead.push(listing(entry.path, at.rules, walk));
  }
  at.from++;
  return (await at.ahead.shift()) ?? null;
}

async function listing(
  folder: string,
  above: readonly IgnoreRules[],
  walk: Walk,
): Promise<Listing> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const has = (name: string): boolean => found.some((entry) => entry.name === name);
  // The rules of an outer repository do not apply in an inner one.
  const inner = has(".git") ? [] : above;
  const own = has(".gitignore") ? await rulesOf(folder) : null;
  const rules = own ? [own, ...inner] : inner;
  const prefix = folder.endsWith(sep) ? folder : folder + sep;
  const entries = found
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory(), isFile: entry.isFile() }))
    .filter(({ name, isFolder, isFile }) => {
      if (name === ".git" || (!walk.hidden && name.startsWith("."))) return false;
      if (isFolder) return !walk.skipped.includes(name) && !isIgnored(prefix + name, true, rules);
      return isFile && isWanted(prefix + name, walk) && !isIgnored(prefix + name, false, rules);
    })
    .sort(byBytes)
    .map(({ name, isFolder }) => ({ path: prefix + name, isFolder }));
  return { rules, entries, from: 0, ahead: [], unread: 0 };
}

/** Cheaper than the rules, so asked first. */
const isWanted = (path: string, { wants, top }: Walk): boolean =>
  wants === undefined || wants(withSlashes(path.slice(top)));

const withSlashes = (way: string): string => (sep === "/" ? way : way.replaceAll(sep, "/"));

/** The innermost rule that applies decides. */
function isIgnored(path: string, folder: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const one of rules) {
    const way = withSlashes(path.slice(one.folder === sep ? 1 : one.folder.length + 1));
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
  return { folder, ignore: ignore({ ignoreCase: false }).add(text) };
}

/** Rules of the folders above, up to the top of the repository or of the disk; the nearest first. */
async function rulesAbove(folder: string): Promise<IgnoreRules[]> {
  const rules: IgnoreRules[] = [];
  const top = await repositoryOf(folder);
  for (let at = folder; at !== top && at !== dirname(at);) {
    at = dirname(at);
    const one = await rulesOf(at);
    if (one) rules.push(one);
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
