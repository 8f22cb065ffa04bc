/** Folders that are made by tools: they are kept only if they are small. */

import { dirname, join } from "node:path";
import { isIgnoredBy, rulesOf, type IgnoreRules } from "../search/ignore-rules.ts";
import { foldersBetween, holds, wayBelow } from "../workspace.ts";

/** They may be made where no rule ignores them. */
const names =
  /^(?:node_modules|bower_components|\.venv|venv|\.tox|__pycache__|\.gradle|\.next|\.turbo|\.cache|Pods)$/;

export const isLeftOutName = (name: string): boolean => names.test(name);

/** Those of the folder's subfolders that a .gitignore ignores. */
export async function ignoredFolders(
  folder: string,
  subfolders: readonly string[],
  roots: readonly string[],
): Promise<string[]> {
  const root = roots.find((one) => holds(one, folder)) ?? dirname(folder);
  const above = await Promise.all(foldersBetween(root, folder).map(rulesOf));
  const rules = above.filter((one): one is IgnoreRules => one !== null).toReversed();
  return subfolders.filter((name) => {
    for (const one of rules) {
      const way = wayBelow(one.folder, join(folder, name)) ?? name;
      const ignored = isIgnoredBy(one, name, way, true);
      if (ignored !== null) return ignored;
    }
    return false;
  });
}
