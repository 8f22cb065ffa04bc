/** The files of a folder that are not ignored, hidden or links. */

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
  yield* walk(folder, await rulesAbove(folder), { ...options, skipped });
}

async function* walk(
  folder: string,
  above: readonly IgnoreRules[],
  options: WalkOptions & { skipped: readonly string[] },
): AsyncGenerator<string> {
  if (options.signal.aborted) return;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  // The rules of an outer repository do not apply in an inner one.
  const inner = entries.some((entry) => entry.name === ".git") ? [] : above;
  const own = await rulesOf(folder);
  const rules = own ? [...inner, own] : inner;
  for (const entry of entries.toSorted(byBytes)) {
    if (entry.name === ".git" || (!options.hidden && entry.name.startsWith("."))) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isSkipped = options.skipped.includes(entry.name) || isIgnored(path, true, rules);
      if (!isSkipped) yield* walk(path, rules, options);
    } else if (entry.isFile() && !isIgnored(path, false, rules)) yield path;
  }
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
