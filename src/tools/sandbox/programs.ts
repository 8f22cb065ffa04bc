/** Programs that the user can call by name although they are installed in a hidden folder. */

import { readlinkSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../../base/guards.ts";
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
  const found = new Set<string>(path.filter(isHidden));
  const folders = path.map((folder) => realpath(folder).catch(() => folder));
  for (const folder of new Set(await Promise.all(folders))) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isSymbolicLink()) continue;
      for (const target of linkedPaths(join(folder, entry.name))) {
        if (isHidden(target)) found.add(findPackage(target, home));
      }
    }
  }
  const shown = [...found].filter((folder) => !holds(folder, home));
  return shown.filter((folder) => !shown.some((other) => other !== folder && holds(other, folder)));
}

/** Every path from a link to its final target. Synchronous: there are hundreds, of microseconds each. */
function linkedPaths(link: string): string[] {
  const places: string[] = [];
  let at = link;
  for (let links = 0; links < maxLinks; links += 1) {
    const target = attempt(() => readlinkSync(at), null);
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
