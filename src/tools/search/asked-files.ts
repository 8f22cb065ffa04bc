/** Which files ripgrep was asked to search. In a folder that it was given, it may find others. */

import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { maxFileBytes, type FileRun } from "./matches.ts";

/** It exists, even under a name that is not UTF-8, and is not too large. */
export function isSearched(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && there.size <= maxFileBytes;
}

export class AskedFiles {
  readonly #runs: ReadonlyMap<string, readonly FileRun[]>;
  /** The files of folders in which some were found; true: named one by one. */
  readonly #names = new Map<string, ReadonlyMap<string, boolean>>();

  constructor(runs: readonly FileRun[]) {
    this.#runs = Map.groupBy(runs, ({ folder }) => folder);
  }

  has(path: string): boolean {
    return this.#find(path) !== undefined && isSearched(path);
  }

  /** It was named, not found in a folder. */
  isNamed = (path: string): boolean => this.#find(path) === true;

  #find(path: string): boolean | undefined {
    const folder = dirname(path);
    let names = this.#names.get(folder);
    if (names === undefined) {
      const runs = this.#runs.get(folder) ?? [];
      names = new Map(runs.flatMap((run) => run.names.map((name) => [name, !run.isWhole])));
      this.#names.set(folder, names);
    }
    return names.get(basename(path));
  }
}
