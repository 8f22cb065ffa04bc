/** Programs that the user can call by name although they are installed in a hidden folder. */

import { readdir, readlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { holds } from "../workspace.ts";

const maxLinks = 10;

/**
 * Folders to show so that the programs in `path` can start: those that links in it lead to, with
 * the package around them. `isHidden` says what the sandbox hides, `home` is never shown itself.
 */
export async function programFolders(
  path: readonly string[],
  isHidden: (path: string) => boolean,
  home: string,
): Promise<string[]> {
  const found = new Set<string>();
  for (const folder of new Set(path)) {
    if (isHidden(folder)) found.add(folder);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isSymbolicLink()) continue;
      for (const target of await linkedPaths(join(folder, entry.name))) {
        if (isHidden(target)) found.add(findPackage(target, home));
      }
    }
  }
  const shown = [...found].filter((folder) => !holds(folder, home));
  return shown.filter((folder) => !shown.some((other) => other !== folder && holds(other, folder)));
}

/** Every path from a link to its final target. */
async function linkedPaths(link: string): Promise<string[]> {
  const places: string[] = [];
  let at = link;
  for (let links = 0; links < maxLinks; links += 1) {
    const target = await readlink(at).catch(() => null);
    if (target === null) break;
    at = resolve(dirname(at), target);
    places.push(at);
  }
  return places;
}

/** `.../node_modules` for its packages, the parent of a `bin`, or the program's own folder. */
function findPackage(program: string, home: string): string {
  const modules = /^(.*?\/node_modules)\//.exec(program)?.[1];
  if (modules !== undefined) return modules;
  const folder = dirname(program);
  const parent = dirname(folder);
  return basename(folder) === "bin" && parent !== home && parent !== "/" ? parent : folder;
}
