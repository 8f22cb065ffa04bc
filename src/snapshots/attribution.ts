/** Which changes of a command may be somebody else's: no system records who wrote a file. */

import { existsSync, lstatSync } from "node:fs";
import { attempt } from "../base/guards.ts";
import { basename, bytesOfPath, dirname } from "../base/path-bytes.ts";
import type { Change, Look } from "./scan.ts";

/** How the words of a command line name a path that it may change. */
export type Naming = (path: string) => "path" | "folder" | null;

export type Evidence = {
  naming: Naming;
  startMs: number;
  endMs: number;
  isBackground: boolean;
  /** Paths that somebody else changed between commands of this session. */
  theirs: ReadonlySet<string>;
  /** Another session may have written the path meanwhile. */
  elsewhere(path: string): boolean;
};

/** Nobody saves a file by hand in that time, unless they are known to be at work. */
const instantMs = 500;
/** While a longer command runs, a file that is saved by hand may fall among many others. */
const maxBulkMs = 30_000;
/** Of files that one program writes, each follows another within this time. */
const gapMs = 100;

/** Marks the changes that are not the command's by the evidence. */
export function attribute({ changes, latest }: Look, evidence: Evidence): Change[] {
  const { naming, startMs, endMs, isBackground, theirs, elsewhere } = evidence;
  const runMs = endMs - startMs;
  const isInstant = runMs < instantMs && theirs.size === 0;
  const isFile = ({ after }: Change): boolean => after !== null && after !== "folder";
  const unnamed = changes.filter((change) => isFile(change) && naming(change.path) === null);
  const among = inRuns(unnamed.flatMap(({ path }) => latest.get(path) ?? []));
  const sure = new Set<string>();
  // The inside of a folder comes first.
  for (const change of changes.toReversed()) {
    const { path, before, after } = change;
    const ms = latest.get(path);
    const isPossible = !isBackground && !elsewhere(path) && (ms === undefined || ms <= endMs);
    const named = naming(path);
    const isOwn =
      named === "path" ||
      // Taking that back removes nothing.
      after === null ||
      (before === null && after === "folder" && sure.has(`${path}/`)) ||
      (!theirs.has(path) &&
        !isOpenInEditor(path) &&
        (named === "folder" ||
          isInstant ||
          (runMs < maxBulkMs && isFile(change) && among.has(ms))));
    if (!isPossible || !isOwn) continue;
    sure.add(path).add(`${dirname(path)}/`);
  }
  return changes.map((change) =>
    sure.has(change.path) ? change : { ...change, unsure: true as const },
  );
}

/** Times in runs of three or more, each close to the one before it. */
function inRuns(times: readonly number[]): ReadonlySet<number | undefined> {
  const runs: number[][] = [];
  for (const ms of times.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && ms - (run.at(-1) ?? 0) <= gapMs) run.push(ms);
    else runs.push([ms]);
  }
  return new Set(runs.filter(({ length }) => length > 2).flat());
}

/** Vim and Emacs keep a file beside one that they have open. */
const isOpenInEditor = (path: string): boolean =>
  [`.${basename(path)}.swp`, `.#${basename(path)}`].some((name) => {
    const companion = bytesOfPath(`${dirname(path)}/${name}`);
    return existsSync(companion) || attempt(() => lstatSync(companion).isSymbolicLink(), false);
  });
