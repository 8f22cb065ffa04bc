/** Which files ripgrep was asked to search. In a folder that it was given, it may find others. */

import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { maxFileBytes, type FileRun } from "./matches.ts";

/** It exists, even under a name that is not UTF-8, and is not too large. */
export function isSearched(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && there.size <= maxFileBytes;
}

export function askedFiles(runs: readonly FileRun[]) {
  const byFolder = Map.groupBy(runs, ({ folder }) => folder);
  /** The files of folders in which some were found; true: named one by one. */
  const names = new Map<string, ReadonlyMap<string, boolean>>();
  const find = (path: string): boolean | undefined => {
    const folder = dirname(path);
    let known = names.get(folder);
    if (known === undefined) {
      const inFolder = byFolder.get(folder) ?? [];
      known = new Map(inFolder.flatMap((run) => run.names.map((name) => [name, !run.isWhole])));
      names.set(folder, known);
    }
    return known.get(basename(path));
  };
  return {
    has: (path: string): boolean => find(path) !== undefined && isSearched(path),

    /** It was named, not found in a folder. */
    isNamed: (path: string): boolean => find(path) === true,
  };
}
