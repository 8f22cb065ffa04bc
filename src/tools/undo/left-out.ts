/** Folders that are made by tools, and others that nobody commits: they are kept only if they are small. */

import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { foldersBetween, holds, wayBelow } from "../workspace.ts";
import type { Ignore } from "ignore";
import { textOfRegular } from "../../base/regular-file.ts";

/** They may be left out where no rule ignores them. */
const installed =
  /(?:^|\/)(?:node_modules|bower_components|\.?venv|\.tox|__pycache__|Pods|\.gradle|\.next|\.turbo|\.cache)$/;

/** Folders that tools make again. Writing to other folders that are left out needs approval. */
const generated =
  /(?:^|\/)(?:target|dist|build|_build|coverage|te?mp|logs?|obj|\.nuxt|\.output|\.svelte-kit|\.dart_tool|\.stack-work|\.?zig-(?:cache|out)|DerivedData|cmake-build-[^/]*|[^/]*[._-]?cache)$/;

export const isMadeByTools = (path: string): boolean =>
  installed.test(path) || generated.test(path);

/** Which of a folder's subfolders may be left out: tools made them, or a .gitignore ignores them. */
export async function leavable(
  folder: string,
  names: readonly string[],
  roots: readonly string[],
): Promise<Set<string>> {
  const root = roots.find((candidate) => holds(candidate, folder)) ?? dirname(folder);
  const above = await Promise.all(foldersBetween(root, folder).map(readRules));
  const rules = above.filter((found): found is IgnoreRules => found !== null).toReversed();
  const isIgnored = (name: string): boolean => {
    for (const source of rules) {
      const way = wayBelow(source.folder, join(folder, name)) ?? name;
      const ignored = isIgnoredBy(source, way);
      if (ignored !== null) return ignored;
    }
    return false;
  };
  return new Set(names.filter((name) => installed.test(name) || isIgnored(name)));
}

const maxFiles = 5_000;

/** Stops as soon as it knows. */
export function isLarger(folder: string, maxBytes: number): boolean {
  const open = [folder];
  let bytes = 0;
  let files = 0;
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

/** The rules of one .gitignore, relative to its folder. */
type IgnoreRules = { folder: string; ignore: Ignore };

/** A larger .gitignore is ignored. */
const maxRulesBytes = 1024 * 1024;

/** Null without a .gitignore. */
export async function readRules(folder: string): Promise<IgnoreRules | null> {
  const text = await textOfRegular(join(folder, ".gitignore"), maxRulesBytes);
  if (text === null) return null;
  const { default: ignore } = await import("ignore");
  return { folder, ignore: ignore({ ignoreCase: false }).add(text) };
}

/** Whether the folder at a path below that of the rules is ignored; null: no rule applies. */
function isIgnoredBy({ ignore }: IgnoreRules, way: string): boolean | null {
  const { ignored, unignored } = ignore.test(`${way}/`);
  return ignored || unignored ? ignored : null;
}
