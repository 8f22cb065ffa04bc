/** Attributes file changes to a command or to other writers. Operating systems do not record the writer. */

import { existsSync, lstatSync } from "node:fs";
import { attempt } from "../base/guards.ts";
import { basename, bytesOfPath, dirname } from "../base/path-bytes.ts";
import type { Change, ScanResult } from "./scan.ts";

/** Whether a command line names a path that it may change, or a folder above the path. */
export type Naming = (path: string) => "path" | "folder" | null;

export type Evidence = {
  naming: Naming;
  startMs: number;
  endMs: number;
  isBackground: boolean;
  /** Paths changed by other writers between commands of this session. */
  theirs: ReadonlySet<string>;
  /** Whether another session may have written the path while the command ran. */
  elsewhere(path: string): boolean;
};

/** Too short for a manual save, unless other writers are known to be active. */
const instantMs = 500;
/** During a longer command, a manual save may coincide with a burst of writes. */
const maxBulkMs = 30_000;
/** Maximum gap between two writes of a burst. */
const gapMs = 100;

/** Marks changes that cannot be attributed to the command. */
export function attribute({ changes, latest }: ScanResult, evidence: Evidence): Change[] {
  const { naming, startMs, endMs, isBackground, theirs, elsewhere } = evidence;
  const runMs = endMs - startMs;
  const isInstant = runMs < instantMs && theirs.size === 0;
  const isFile = ({ after }: Change): boolean => after !== null && after !== "folder";
  const unnamed = changes.filter((change) => isFile(change) && naming(change.path) === null);
  const inBurst = findBursts(unnamed.flatMap(({ path }) => latest.get(path) ?? []));
  const sure = new Set<string>();
  // Children before their folder.
  for (const change of changes.toReversed()) {
    const { path, before, after } = change;
    const ms = latest.get(path);
    const isPossible = !isBackground && !elsewhere(path) && (ms === undefined || ms <= endMs);
    const named = naming(path);
    const isOwn =
      named === "path" ||
      // Undoing a deletion removes nothing.
      after === null ||
      (before === null && after === "folder" && sure.has(`${path}/`)) ||
      (!theirs.has(path) &&
        !isOpenInEditor(path) &&
        (named === "folder" ||
          isInstant ||
          (runMs < maxBulkMs && isFile(change) && inBurst.has(ms))));
    if (!isPossible || !isOwn) continue;
    sure.add(path).add(`${dirname(path)}/`);
  }
  return changes.map((change) =>
    sure.has(change.path) ? change : { ...change, unsure: true as const },
  );
}

/** Times that belong to a burst: three or more, each within `gapMs` of the previous one. */
function findBursts(times: readonly number[]): ReadonlySet<number | undefined> {
  const bursts: number[][] = [];
  for (const ms of times.toSorted((a, b) => a - b)) {
    const burst = bursts.at(-1);
    if (burst && ms - (burst.at(-1) ?? 0) <= gapMs) burst.push(ms);
    else bursts.push([ms]);
  }
  return new Set(bursts.filter(({ length }) => length > 2).flat());
}

/** Vim and Emacs create a companion file beside an open file. */
const isOpenInEditor = (path: string): boolean =>
  [`.${basename(path)}.swp`, `.#${basename(path)}`].some((name) => {
    const companion = bytesOfPath(`${dirname(path)}/${name}`);
    return existsSync(companion) || attempt(() => lstatSync(companion).isSymbolicLink(), false);
  });
