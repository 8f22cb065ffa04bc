/** Folders that are never committed; in a snapshot only if small. */

import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Ignore } from "ignore";
import { attempt } from "../base/guards.ts";
import { dirname } from "../base/path-bytes.ts";
import { textOfRegular } from "../base/regular-file.ts";

/** Excluded even if no rule ignores them. */
const installed =
  /(?:^|\/)(?:node_modules|bower_components|\.?venv|\.tox|__pycache__|Pods|\.gradle|\.next|\.turbo|\.cache)$/;

/** Limits above which an ignored folder is excluded. */
const maxFiles = 500;
const maxBytes = 16 * 1024 ** 2;

/** Tells whether a folder is left out; reads each .gitignore once. `root`: where to begin. */
export function leftOut(root: string) {
  const known = new Map<string, Ignore | null>();
  const rulesOf = async (folder: string): Promise<Ignore | null> => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const rules = await readRules(folder, folder === root);
    known.set(folder, rules);
    return rules;
  };
  return async (path: string): Promise<boolean> =>
    (installed.test(path) || (await isIgnored(path, root, rulesOf))) && isLarge(path);
}

async function isIgnored(
  path: string,
  root: string,
  rulesOf: (folder: string) => Promise<Ignore | null>,
): Promise<boolean> {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const rules = await rulesOf(folder);
    const { ignored = false, unignored = false } =
      rules?.test(`${path.slice(folder.length + 1)}/`) ?? {};
    if (ignored || unignored) return ignored;
    if (folder === root || folder === dirname(folder)) return false;
  }
}

/** A larger .gitignore is ignored. */
const maxRulesBytes = 1024 ** 2;

/** Ignore rules of a folder; null: there are none. */
async function readRules(folder: string, isRoot: boolean): Promise<Ignore | null> {
  const files = [...(isRoot ? [".git/info/exclude"] : []), ".gitignore"];
  const texts = await Promise.all(
    files.map((name) => textOfRegular(join(folder, name), maxRulesBytes)),
  );
  const text = texts.filter((found) => found !== null).join("\n");
  if (text === "") return null;
  const { default: ignore } = await import("ignore");
  return ignore({ ignoreCase: false, allowRelativePaths: true }).add(text);
}

/** Stops at the first limit reached. */
function isLarge(folder: string): boolean {
  const open = [folder];
  let [bytes, files] = [0, 0];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of attempt(() => readdirSync(at, { withFileTypes: true }), [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) open.push(path);
      else bytes += attempt(() => lstatSync(path).size, 0);
      files += 1;
      if (bytes > maxBytes || files > maxFiles) return true;
    }
  }
  return false;
}
