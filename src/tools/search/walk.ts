/** The files of a folder that are not ignored, hidden or links. */

import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import { isIgnoredBy, readRules, type IgnoreRules } from "./ignore-rules.ts";
import { listPaths, type FileRun } from "./query.ts";

type WalkOptions = {
  /** Files and folders whose name begins with a dot as well; `.git` never. */
  hidden: boolean;
  signal: AbortSignal;
  /**
   * Returns a test for the names of a folder's files: whether they are wanted. Gets the path of the
   * folder and its path relative to the search, with forward slashes, both up to the name. Absent:
   * all are wanted.
   */
  filterNames?(folder: string, way: string): (name: string) => boolean;
};

/** Only surrogates sort differently in UTF-16 and in UTF-8. */
const surrogates = /[\ud800-\udfff]/;

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Folders of installed packages: skipped unless a .gitignore decides. */
const dependencyFolders = [
  "node_modules",
  "bower_components",
  "vendor",
  "venv",
  "site-packages",
  "__pycache__",
  "Pods",
];

/** Folder by folder, sorted by the bytes of their names. Unreadable folders are skipped. */
export async function* walkFiles(folder: string, options: WalkOptions): AsyncGenerator<FileRun> {
  const outer = await rulesAbove(folder);
  // Whoever names an ignored folder means it.
  const isNamed = ignoreTest(withSeparator(dirname(folder)), outer)(basename(folder), true);
  const above = isNamed ? [] : outer;
  const isDecided = above.length > 0 || (await readRules(folder)) !== null;
  const walk = {
    ...options,
    skipped: isDecided ? [] : dependencyFolders,
    top: withSeparator(folder).length,
  };
  const open = [await listing(folder, above, walk)];
  for (let at = open.at(-1); at !== undefined && !options.signal.aborted; at = open.at(-1)) {
    const { parts } = at;
    let part = parts[at.from];
    for (; part !== undefined && typeof part !== "string"; part = parts[++at.from]) yield part;
    const next = await nextFolder(at, walk);
    if (next === null) open.pop();
    else open.push(next);
  }
}

/** The same, path by path. */
export async function* walkPaths(folder: string, options: WalkOptions): AsyncGenerator<string> {
  for await (const run of walkFiles(folder, options)) yield* listPaths(run);
}

type Walk = WalkOptions & {
  skipped: readonly string[];
  /** Length of a path up to and including the folder of the search. */
  top: number;
};

/** A folder that is being walked. */
type FolderListing = {
  /** From the innermost folder outwards. */
  rules: readonly IgnoreRules[];
  /** In order: files, and the paths of folders. */
  parts: readonly (FileRun | string)[];
  /** The first part that was not visited. */
  from: number;
  /** Its next folders, being read while earlier ones are walked. */
  ahead: Promise<FolderListing>[];
  /** The first part whose folder is not being read. */
  unread: number;
};

/** Folders that are read before they are needed. */
const readAhead = 4;

async function nextFolder(at: FolderListing, walk: Walk): Promise<FolderListing | null> {
  while (at.ahead.length < readAhead && at.unread < at.parts.length) {
    const part = at.parts[at.unread++];
    if (typeof part === "string") at.ahead.push(listing(part, at.rules, walk));
  }
  at.from++;
  return (await at.ahead.shift()) ?? null;
}

async function listing(
  folder: string,
  above: readonly IgnoreRules[],
  walk: Walk,
): Promise<FolderListing> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const has = (name: string): boolean => found.some((entry) => entry.name === name);
  // The rules of an outer repository do not apply in an inner one.
  const inner = has(".git") ? [] : above;
  const own = has(".gitignore") ? await readRules(folder) : null;
  const rules = own ? [own, ...inner] : inner;
  return { rules, parts: splitParts(folder, found, rules, walk), from: 0, ahead: [], unread: 0 };
}

function splitParts(
  folder: string,
  found: readonly Dirent[],
  rules: readonly IgnoreRules[],
  { filterNames, hidden, skipped, top }: Walk,
): (FileRun | string)[] {
  const prefix = withSeparator(folder);
  const isWanted = filterNames?.(prefix, withSlashes(prefix.slice(top)));
  const isIgnored = ignoreTest(prefix, rules);
  const wanted: string[] = [];
  const folders = new Set<string>();
  let files = 0;
  for (const entry of found) {
    const { name } = entry;
    if (!hidden && name.startsWith(".")) continue;
    if (entry.isFile()) {
      files++;
      if (name === ".git" || isWanted?.(name) === false || isIgnored(name, false)) continue;
    } else {
      if (!entry.isDirectory() || name === ".git" || skipped.includes(name)) continue;
      if (isIgnored(name, true)) continue;
      folders.add(name);
    }
    wanted.push(name);
  }
  // Without a comparison function, sorting takes half as long.
  if (wanted.some((name) => surrogates.test(name))) wanted.sort(byBytes);
  else wanted.sort();
  const parts: (FileRun | string)[] = [];
  let names: string[] = [];
  const endRun = (): void => {
    if (names.length > 0) parts.push({ folder, names, isWhole: names.length === files });
    names = [];
  };
  for (const name of wanted) {
    if (!folders.has(name)) names.push(name);
    else {
      endRun();
      parts.push(prefix + name);
    }
  }
  endRun();
  return parts;
}

const withSeparator = (folder: string): string => (folder.endsWith(sep) ? folder : folder + sep);

const withSlashes = (way: string): string => (sep === "/" ? way : way.replaceAll(sep, "/"));

/** For the entries of a folder, whose path ends with a separator. The innermost rule that applies decides. */
function ignoreTest(
  prefix: string,
  rules: readonly IgnoreRules[],
): (name: string, isFolder: boolean) => boolean {
  const ways = rules.map((source) => {
    return { source, way: withSlashes(prefix.slice(withSeparator(source.folder).length)) };
  });
  return (name, isFolder) => {
    for (const { source, way } of ways) {
      const ignored = isIgnoredBy(source, name, way + name, isFolder);
      if (ignored !== null) return ignored;
    }
    return false;
  };
}

/** Rules of the folders above, up to the top of the repository or of the disk; the nearest first. */
async function rulesAbove(folder: string): Promise<IgnoreRules[]> {
  const rules: IgnoreRules[] = [];
  const top = await findRepository(folder);
  for (let at = folder; at !== top && at !== dirname(at);) {
    at = dirname(at);
    const found = await readRules(at);
    if (found) rules.push(found);
  }
  return rules;
}

/** The nearest folder with a `.git`, itself or above; null if there is none. */
async function findRepository(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    if (await stat(join(at, ".git")).catch(() => null)) return at;
    if (at === dirname(at)) return null;
  }
}
