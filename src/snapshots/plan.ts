/** Plans a rewind per path, comparing the current state with what the turn left. */

import { lstatSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { readFile } from "node:fs/promises";
import { attempt, errorCode } from "../base/guards.ts";
import { bytesOfPath, dirname, textOfPath } from "../base/path-bytes.ts";
import { yieldLoop } from "../base/long-work.ts";
import type { EntryOf } from "../protocol/entry.ts";
import { listEntries } from "./raw-files.ts";
import { contentId, earlierContentId, isContentId } from "../log/checkpoints.ts";
import { maxKeptBytes, type Change } from "./scan.ts";

/** The checkpoints to undo and those to apply again, both oldest first. */
export type FileRewind = {
  undo: readonly EntryOf<"checkpoint">[];
  redo: readonly EntryOf<"checkpoint">[];
  /** Includes unsure changes, which may come from other writers. */
  unsure?: boolean;
};

/** `left`: the expected current state; otherwise the step is skipped. */
export type RewindStep =
  | { how: "restore"; path: string; content: string; mode?: number; left: Wanted; now: PathState }
  | { how: "delete"; path: string; left: Wanted; now: PathState }
  /** Left alone: changed by another writer, or its content is missing. */
  | { how: "keep"; path: string; why: string; isUnsure?: true };

/** `content`: as in a checkpoint; null: nothing. `opened`: the mode once a rewind has made it readable. */
type Wanted = { content: string | null; mode?: number | undefined; opened?: number };

const modified = "modified since";
const notKept = "not in the snapshot";
const unsureWords = "changed beside a command, perhaps by you";

/**
 * The changes of a rewind, and what it would not touch. Paths that need no change are left out. `opened`: paths that
 * the rewind has made readable, with the modes that the turn left.
 */
export async function planRewind(
  { undo, redo, unsure }: FileRewind,
  opened: ReadonlyMap<string, number> = new Map(),
): Promise<RewindStep[]> {
  const undone = byPath(undo);
  const redone = byPath(redo);
  const paths = [...new Set([...undone.keys(), ...redone.keys()])].sort();
  const found = new Map<string, PathState>();
  const lefts = new Map<string, Wanted>();
  for (const path of paths) lefts.set(path, leftAt(undone.get(path), redone.get(path)));
  // Ignore symlinks that this rewind removes.
  const isRemoved = (link: string): boolean => isLeft(found.get(link), lefts.get(link));
  const linkAbove = linkFinder();
  const pause = yieldLoop();
  for (const path of paths) {
    const state = await inspect(path, linkAbove, isRemoved);
    const closed = opened.get(path);
    found.set(path, closed === undefined || !state.stat ? state : { ...state, mode: closed });
    await pause();
  }
  const steps = paths.flatMap((path): RewindStep[] => {
    const now = found.get(path) ?? nothing;
    const changes = [...(undone.get(path) ?? []), ...(redone.get(path) ?? [])];
    const target = targetAt(undone.get(path), redone.get(path));
    const left = { ...(lefts.get(path) ?? { content: null }) };
    if (left.mode !== undefined) left.opened = openedMode(left.content, left.mode);
    if (isLeft(now, target)) return [];
    if (!unsure && changes.some((change) => change.unsure))
      return [{ how: "keep", path, why: unsureWords, isUnsure: true }];
    if (now === unreadable) return [{ how: "keep", path, why: "not readable" }];
    if (!isLeft(now, left) && !isBetween(now, target, left))
      return [{ how: "keep", path, why: modified }];
    const { content, mode } = target;
    // Only the mode differs.
    if (now.names.includes(content) && content !== null)
      return [{ how: "restore", path, content, left, now, ...(mode !== undefined && { mode }) }];
    if (!canBeMade(content) || !canBeMade(left.content))
      return [{ how: "keep", path, why: notKept }];
    return content === null
      ? [{ how: "delete", path, left, now }]
      : [{ how: "restore", path, content, left, now, ...(mode !== undefined && { mode }) }];
  });
  const isGone = (path: string): boolean => found.get(path) === nothing;
  return keepFull(withFolders(keepInside(together(steps), isGone)));
}

/** Adds missing folders of restored files, which a redo removes again. */
function withFolders(steps: readonly RewindStep[]): RewindStep[] {
  const byName = new Map(steps.map((step) => [step.path, step]));
  const make = (path: string, left: Wanted, now: PathState): unknown =>
    byName.set(path, { how: "restore", path, content: "folder", left, now });
  for (const { how, path } of steps)
    for (let at = dirname(path); how === "restore"; at = dirname(at)) {
      const above = byName.get(at);
      // A link or a file of that name would be removed.
      if (above?.how === "delete" && !above.now.stat?.isDirectory())
        make(at, above.left, above.now);
      if (above || attempt(() => lstatSync(bytesOfPath(at)), null) !== null) break;
      make(at, { content: null }, nothing);
    }
  return [...byName.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Skips all steps inside a missing folder that is not restored. */
function keepInside(steps: readonly RewindStep[], isGone: (path: string) => boolean): RewindStep[] {
  const missing = steps.flatMap((step) => (step.how === "keep" && isGone(step.path) ? [step] : []));
  return steps.map((step) => {
    const above = missing.find(({ path }) => step.path.startsWith(`${path}/`));
    return above && step.how !== "keep" ? { ...above, path: step.path } : step;
  });
}

/** Keeps folders that still contain something. */
function keepFull(steps: readonly RewindStep[]): RewindStep[] {
  const going = new Set<string>();
  const full = new Set<RewindStep>();
  for (const step of steps.toReversed()) {
    if (step.how !== "delete") continue;
    const inside = step.now.stat?.isDirectory() ? listEntries(step.path) : null;
    const names = inside ? [...inside.folders, ...inside.files] : [];
    if (names.every((name) => going.has(`${step.path}/${name}`))) going.add(step.path);
    else full.add(step);
  }
  return steps.map((step) =>
    full.has(step) ? { how: "keep", path: step.path, why: "not empty" } : step,
  );
}

const byPath = (entries: FileRewind["undo"]): Map<string, Change[]> =>
  Map.groupBy(
    entries.flatMap(({ files }) => files),
    ({ path }) => path,
  );

/**
 * Checkpoints of concurrent agents may be out of order: the last change is the one whose result no other change
 * started from.
 */
const lastOf = (changes: readonly Change[]): Change | undefined =>
  changes.findLast(({ after }) => changes.every(({ before }) => before !== after)) ??
  changes.at(-1);

/**
 * The first change of the unbroken chain that ends with the last one. A foreign edit between two changes breaks
 * the chain, so that a rewind restores the edit and not the content before it.
 */
function firstOf(changes: readonly Change[]): Change | undefined {
  const rest = new Set(changes);
  let first = lastOf(changes);
  for (let at = first; at !== undefined;) {
    const { before } = (first = at);
    rest.delete(first);
    const earlier = [...rest];
    at = earlier.findLast(({ after }) => after === before);
  }
  return first;
}

const beforeOf = (change: Change | undefined): Wanted => ({
  content: change?.before ?? null,
  mode: change?.mode ?? (change?.executable ? 0o755 : undefined),
});
const afterOf = (change: Change | undefined): Wanted => ({
  content: change?.after ?? null,
  mode: change?.modeAfter,
});

const leftAt = (undone: readonly Change[] = [], redone: readonly Change[] = []): Wanted =>
  undone.length > 0 ? afterOf(lastOf(undone)) : beforeOf(firstOf(redone));

function targetAt(undone: readonly Change[] = [], redone: readonly Change[] = []): Wanted {
  if (redone.length > 0) return afterOf(lastOf(redone));
  const target = beforeOf(firstOf(undone));
  // Changes by our own tools record no mode; take it from a later change by a command.
  const mode = target.mode ?? undone.find((change) => change.mode !== undefined)?.mode;
  return { ...target, mode };
}

/** The mode that lets a rewind read a path and, for a folder, change its entries. */
export const openedMode = (content: string | null, mode: number): number =>
  mode | (content === "folder" ? 0o700 : 0o400);

export function isLeft(now: PathState | undefined, wanted: Wanted | undefined): boolean {
  if (!now || !wanted || !now.names.includes(wanted.content)) return false;
  const { mode = now.mode, opened } = wanted;
  return now.mode === undefined || now.mode === mode || now.mode === opened;
}

/** A rewind killed between removing a folder and restoring a file in its place leaves nothing. */
const isBetween = (now: PathState, target: Wanted, left: Wanted): boolean =>
  now === nothing &&
  target.content !== null &&
  left.content !== null &&
  (target.content === "folder") !== (left.content === "folder");

const canBeMade = (content: string | null): boolean =>
  content === null || isContentId(content) || /^(?:folder|link:[^]*)$/.test(content);

/** A database and its journals. */
const wholeOf = (path: string): string => path.replace(/-(?:wal|shm|journal)$/, "");

/** Changes files that belong together only as a whole. */
function together(steps: readonly RewindStep[]): RewindStep[] {
  const kept = new Set(steps.flatMap(({ how, path }) => (how === "keep" ? wholeOf(path) : [])));
  return steps.map((step) =>
    step.how !== "keep" && kept.has(wholeOf(step.path))
      ? { how: "keep", path: step.path, why: modified }
      : step,
  );
}

export const linkTo = "link:";

/** The state of a path, by every name that a checkpoint may have for it. */
type PathState = { names: readonly (string | null)[]; mode?: number; stat?: Stats };

const nothing: PathState = { names: [null] };
const unreadable: PathState = { names: [] };
const behindLink: PathState = { names: [] };

/** `isRemoved`: whether the rewind removes this link. */
export async function inspect(
  path: string,
  linkAbove: (folder: string) => string | null = linkFinder(),
  isRemoved: (link: string) => boolean = () => false,
): Promise<PathState> {
  try {
    const link = linkAbove(dirname(path));
    if (link !== null) return isRemoved(link) ? nothing : behindLink;
    const at = bytesOfPath(path);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return nothing;
    const mode = stat.mode & 0o7777;
    if (stat.isSymbolicLink())
      return { names: [linkTo + textOfPath(readlinkSync(at, { encoding: "buffer" }))], stat };
    if (stat.isDirectory())
      return { names: ["folder", `out:${stat.ino}-${Math.trunc(stat.birthtimeMs)}`], mode, stat };
    if (!stat.isFile()) return { names: ["other"], mode, stat };
    const large = `large:${stat.ino}-${stat.size}-${stat.mtimeMs}`;
    if (stat.size > maxKeptBytes * 4) return { names: [large], mode, stat };
    const bytes = stat.size > maxAtOnce ? await readFile(at) : readFileSync(at);
    return { names: [contentId(bytes), earlierContentId(bytes), large], mode, stat };
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(errorCode(error)) ? nothing : unreadable;
  }
}

/** Larger files are not read in one go with others, in bytes. */
const maxAtOnce = 1024 ** 2;

/** Checkpoints name files without symlinks: where there is one now, it may lead anywhere. */
function linkFinder(): (folder: string) => string | null {
  const known = new Map<string, string | null>();
  const linkAbove = (folder: string): string | null => {
    const found = known.get(folder);
    if (found !== undefined) return found;
    const above = dirname(folder);
    const isLink = attempt(() => lstatSync(bytesOfPath(folder)).isSymbolicLink(), false);
    const link = (above === folder ? null : linkAbove(above)) ?? (isLink ? folder : null);
    known.set(folder, link);
    return link;
  };
  return linkAbove;
}
