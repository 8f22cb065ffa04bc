/** Plans what a rewind does to each file, from its state now and the checkpoints. */

import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { attempt, errorCode } from "../base/guards.ts";
import { bytesOfPath, dirname, textOfPath } from "../base/path-bytes.ts";
import { pauser } from "../base/pauser.ts";
import type { EntryOf } from "../protocol/entry.ts";
import { folderName, isOnlyNamed, maxKeptBytes, sameName, wholeOf } from "../protocol/kept.ts";
import { hashBytes } from "./checkpoints.ts";

/** The checkpoints to undo and those to apply again, both oldest first. */
export type FileRewind = {
  undo: readonly EntryOf<"checkpoint">[];
  redo: readonly EntryOf<"checkpoint">[];
};

/** The fate of one file, link or folder. */
export type RewindStep =
  | { how: "restore"; path: string; content: string; mode?: number }
  /** It is too large to be kept, but it is still there under another name. */
  | { how: "move"; path: string; from: string; isWhole: boolean }
  /** `isWhole`: a folder that a command made is removed with all that is in it. */
  | { how: "delete"; path: string; isWhole: boolean }
  /** Left alone: someone else changed it, or something that belongs to it. */
  | { how: "keep"; path: string; why: string };

const modified = "modified since";
const tooLarge = "too large to be kept";

/** The state that a rewind wants at one path. */
type WantedState = { content: string | null; mode?: number };

/**
 * The files that a rewind would change, and those it would not touch. Files that need no change are
 * left out.
 */
export async function planRewind({ undo, redo }: FileRewind): Promise<RewindStep[]> {
  const targets = new Map<string, WantedState>();
  const known = new Map<string, Set<string | null>>();
  /** Paths where a content that is only named was or is. */
  const places = new Map<string, Set<string>>();
  for (const { files } of [...undo, ...redo]) {
    for (const { path, before, after, executable, mode = executable && 0o755 } of files) {
      const target = targets.get(path);
      if (!target) targets.set(path, { content: before, ...(mode !== undefined && { mode }) });
      else if (target.mode === undefined && target.content !== null && mode !== undefined)
        target.mode = mode;
      known.set(path, (known.get(path) ?? new Set()).add(before).add(after));
      for (const content of [before, after])
        if (content !== null && isOnlyNamed(content))
          places.set(content, (places.get(content) ?? new Set()).add(path));
    }
  }
  for (const { files } of redo)
    for (const { path, after, modeAfter: mode } of files)
      targets.set(path, { content: after, ...(mode !== undefined && { mode }) });
  const found = new Map<string, PathState>();
  // A link that a command made and the rewind removes leads nowhere.
  const isRemoved = (link: string): boolean =>
    found.get(link)?.names.some((name) => known.get(link)?.has(name)) === true;
  const linkAbove = linkFinder();
  const pause = pauser();
  for (const path of [...targets.keys()].sort()) {
    found.set(path, await inspectPath(path, linkAbove, isRemoved));
    await pause();
  }
  /** The places of contents that are only named, except those where they are wanted. */
  const strays = new Map<string | null, string>();
  for (const [path, { content }] of targets)
    for (const name of found.get(path)?.names ?? [])
      if (name !== content && !strays.has(name)) strays.set(name, path);
  const steps: RewindStep[] = [];
  for (const [path, { content, mode }] of targets) {
    const now = found.get(path) ?? nothingThere;
    const isThere = now.names.includes(content);
    if (isThere && (mode === undefined || now.mode === undefined || mode === now.mode)) continue;
    const knows = known.get(path);
    const recognized = now.names.filter((name) => knows?.has(name));
    const isBetween = now === nothingThere && changesKind(knows);
    const named = recognized.find((name) => name !== null && isOnlyNamed(name));
    const isElsewhere = named ? (places.get(named)?.size ?? 0) > 1 : false;
    const isWhole = named?.startsWith("tree:") === true && !isElsewhere;
    if (!isThere && recognized.length === 0 && !isBetween && now !== locked)
      steps.push({ how: "keep", path, why: modified });
    else if (content === null) {
      // The only one of its kind goes back to where it was.
      if (!isElsewhere) steps.push({ how: "delete", path, isWhole });
    } else if (!isThere && isOnlyNamed(content)) {
      const from = strays.get(content);
      steps.push(
        from === undefined
          ? { how: "keep", path, why: tooLarge }
          : { how: "move", path, from, isWhole },
      );
    } else if (canBeMade(content))
      steps.push({ how: "restore", path, content, ...(mode !== undefined && { mode }) });
    else steps.push({ how: "keep", path, why: "not readable before" });
  }
  const sources = new Set(steps.flatMap((step) => (step.how === "move" ? [step.from] : [])));
  return together(steps.filter(({ how, path }) => how !== "delete" || !sources.has(path)));
}

/** Between a folder and something else there is nothing for a moment, in which we may have been killed. */
function changesKind(names: ReadonlySet<string | null> = new Set()): boolean {
  const there = [...names].filter((name) => name !== null);
  const folders = there.filter((name) => name === "folder" || name.startsWith("tree:"));
  return folders.length > 0 && folders.length < there.length;
}

/** "other" are pipes, sockets and devices; "unseen" and "unread" say why nothing is known. */
const canBeMade = (content: string): boolean => !/^(?:other|unseen|unread)$/.test(content);

/** Of files that belong together, none is changed if one cannot be. */
function together(steps: readonly RewindStep[]): RewindStep[] {
  const kept = new Set(steps.flatMap(({ how, path }) => (how === "keep" ? wholeOf(path) : [])));
  return steps.map((step) =>
    step.how !== "keep" && kept.has(wholeOf(step.path))
      ? { how: "keep", path: step.path, why: modified }
      : step,
  );
}

/** One line of a preview. */
export function describeStep(step: RewindStep, name: string): string {
  switch (step.how) {
    case "restore":
    case "move":
      return `Restore ${name}`;
    case "delete":
      return `Delete  ${name}`;
    case "keep":
      return `Skip    ${name} (${step.why})`;
  }
}

export const linkTo = "link:";

/** The content of a path now, by every name that a checkpoint may have for it. */
type PathState = {
  names: readonly (string | null)[];
  mode?: number;
};

const nothingThere: PathState = { names: [null] };

/** Unreadable, or behind a symlink. */
const unknown: PathState = { names: ["unknown"] };

/** Access denied, perhaps by a command that was run. */
const locked: PathState = { names: ["locked"] };

async function inspectPath(
  path: string,
  linkAbove: (folder: string) => string | null,
  isRemoved: (link: string) => boolean,
): Promise<PathState> {
  try {
    const link = linkAbove(dirname(path));
    if (link !== null) return isRemoved(link) ? nothingThere : unknown;
    const at = bytesOfPath(path);
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return nothingThere;
    const mode = stat.mode & 0o7777;
    if (stat.isSymbolicLink())
      return { names: [linkTo + textOfPath(readlinkSync(at, { encoding: "buffer" }))] };
    if (stat.isDirectory()) return { names: ["folder", folderName(stat)], mode };
    if (!stat.isFile()) return { names: ["other"] };
    const same = sameName(path, stat);
    if (stat.size > maxKeptBytes) return { names: [same], mode };
    const bytes = stat.size > maxAtOnce ? await readFile(at) : readFileSync(at);
    return { names: [hashBytes(bytes), same], mode };
  } catch (error) {
    if (errorCode(error) === "EACCES") return locked;
    return ["ENOENT", "ENOTDIR"].includes(errorCode(error)) ? nothingThere : unknown;
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
