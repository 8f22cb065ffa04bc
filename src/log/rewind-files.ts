import {
  chmod,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
} from "node:fs/promises";
import { changeInFolder, inFolder } from "../base/folder.ts";
import { errorCode } from "../base/guards.ts";
import { basename, bytesOfPath, dirname, textOfPath } from "../base/path-bytes.ts";
import { replaceFile } from "../base/replace-file.ts";
import type { EntryOf } from "../protocol/entry.ts";
import { folderName, isOnlyNamed, maxKeptBytes, sameName } from "../protocol/kept.ts";
import { hashBytes, type Checkpoints } from "./checkpoints.ts";
import { explainError } from "./log-error.ts";

/** The checkpoints to undo and those to apply again, both oldest first. */
export type FileRewind = {
  undo: readonly EntryOf<"checkpoint">[];
  redo: readonly EntryOf<"checkpoint">[];
};

/** The fate of one file, link or folder. */
type RewindStep =
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
  for (const path of [...targets.keys()].sort())
    found.set(path, await inspectPath(path, isRemoved));
  const steps: RewindStep[] = [];
  for (const [path, { content, mode }] of targets) {
    const now = found.get(path) ?? nothingThere;
    const isThere = now.names.includes(content);
    if (isThere && (mode === undefined || now.mode === undefined || mode === now.mode)) continue;
    const knows = known.get(path);
    const recognized = now.names.filter((name) => knows?.has(name));
    const named = recognized.find((name) => name !== null && isOnlyNamed(name));
    const isElsewhere = named ? (places.get(named)?.size ?? 0) > 1 : false;
    const isWhole = named?.startsWith("tree:") === true && !isElsewhere;
    if (!isThere && recognized.length === 0 && now !== locked)
      steps.push({ how: "keep", path, why: modified });
    else if (content === null) {
      // The only one of its kind goes back to where it was.
      if (!isElsewhere) steps.push({ how: "delete", path, isWhole });
    } else if (!isThere && isOnlyNamed(content)) {
      const from = [...targets.keys()].find(
        (candidate) =>
          targets.get(candidate)?.content !== content &&
          found.get(candidate)?.names.includes(content),
      );
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

/** "other" are pipes, sockets and devices; "unseen" and "unread" say why nothing is known. */
const canBeMade = (content: string): boolean => !/^(?:other|unseen|unread)$/.test(content);

const repository = /^(.*?\/\.git)\/(?!objects\/)/;

/** The files of a repository belong together: none is changed if one cannot be. */
function together(steps: readonly RewindStep[]): RewindStep[] {
  const of = ({ path }: RewindStep): string | undefined => repository.exec(path)?.[1];
  const kept = new Set(steps.flatMap((step) => (step.how === "keep" ? (of(step) ?? []) : [])));
  return steps.map((step) => {
    const git = of(step);
    return git !== undefined && kept.has(git)
      ? { how: "keep", path: step.path, why: modified }
      : step;
  });
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

/** Carries out the plan as far as it can; returns what it did, in sentences. */
export async function rewindFiles(
  store: Checkpoints,
  rewind: FileRewind,
  show: (path: string) => string,
): Promise<string> {
  const done: RewindStep[] = [];
  const failures: string[] = [];
  await unlock(rewind.undo);
  for (const step of inOrder(await planRewind(rewind))) {
    try {
      await carryOut(step, store);
      done.push(step);
    } catch (error) {
      const how = step.how === "move" ? "restore" : step.how;
      failures.push(`Could not ${how} ${show(step.path)}: ${errorMessage(error)}`);
    }
  }
  const list = (...hows: RewindStep["how"][]): string =>
    done.flatMap((step) => (hows.includes(step.how) ? [show(step.path)] : [])).join(", ");
  const kept = done.filter((step) => step.how === "keep");
  const reasons = [...new Set(kept.map(({ why }) => why))].map((why) => {
    const names = kept.flatMap((step) => (step.why === why ? [show(step.path)] : []));
    return `Skipped (${why}): ${names.join(", ")}.`;
  });
  const sentences = [
    ...(list("restore", "move") ? [`Restored ${list("restore", "move")}.`] : []),
    ...(list("delete") ? [`Deleted ${list("delete")}.`] : []),
    ...reasons,
    ...failures,
  ];
  return sentences.join(" ") || "No file had to be changed.";
}

/** Restores access that a command took away, so that the paths can be inspected. */
async function unlock(undo: FileRewind["undo"]): Promise<void> {
  const files = undo
    .flatMap((checkpoint) => checkpoint.files)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, mode = 0, modeAfter = mode } of files) {
    if ((mode & ~modeAfter & 0o700) === 0) continue;
    await changeInFolder(dirname(path), { create: false }, async (locate) => {
      const at = locate(basename(path));
      const stat = await lstat(at);
      if (!stat.isSymbolicLink() && (stat.mode & 0o7777) === modeAfter) await chmod(at, mode);
    }).catch(() => undefined);
  }
}

/**
 * Deletions first, the inside of a folder before the folder; then moves, and deletions of the folders they
 * move out of; restorations last, a folder before its inside.
 */
function inOrder(steps: readonly RewindStep[]): RewindStep[] {
  const up = steps.toSorted((a, b) => (a.path < b.path ? 1 : -1));
  const sources = steps.flatMap((step) => (step.how === "move" ? [step.from] : []));
  const holdsSource = ({ path }: RewindStep): boolean =>
    sources.some((from) => from.startsWith(`${path}/`));
  const deletes = up.filter(({ how }) => how === "delete");
  return [
    ...deletes.filter((step) => !holdsSource(step)),
    ...up.filter(({ how }) => how === "move"),
    ...deletes.filter(holdsSource),
    ...up.filter(({ how }) => how === "restore").toReversed(),
    ...steps.filter(({ how }) => how === "keep"),
  ];
}

async function carryOut(step: RewindStep, store: Checkpoints): Promise<void> {
  if (step.how === "keep") return;
  if (step.how === "restore") return restore(step, store);
  const folder = dirname(step.path);
  await changeInFolder(folder, { create: step.how === "move" }, async (locate) => {
    const at = locate(basename(step.path));
    if (step.how === "delete") return remove(at, step.isWhole);
    await remove(at, step.isWhole);
    await inFolder(dirname(step.from), { create: false }, (fromOf) =>
      rename(fromOf(basename(step.from)), at),
    );
  });
}

/** A folder only if it is empty, unless it is removed as a whole. */
async function remove(at: string | Buffer, isWhole: boolean): Promise<void> {
  const stat = await lstat(at).catch(() => null);
  if (!stat?.isDirectory()) return rm(at, { force: true });
  if (isWhole) return rm(at, { recursive: true, force: true });
  await rmdir(at);
}

const linkTo = "link:";

async function restore(
  { path, content, mode }: Extract<RewindStep, { how: "restore" }>,
  store: Checkpoints,
): Promise<void> {
  const isFolder = content === "folder";
  const isFile = !isFolder && !content.startsWith(linkTo);
  const bytes = isFile ? await store.load(content) : null;
  await changeInFolder(dirname(path), { create: true }, async (locate) => {
    const at = locate(basename(path));
    const stat = await lstat(at).catch(() => null);
    const isKind = isFolder ? stat?.isDirectory() : isFile && stat?.isFile();
    if (stat && !isKind) await remove(at, false);
    if (isFolder && !isKind) await mkdir(at);
    if (content.startsWith(linkTo)) await symlink(bytesOfPath(content.slice(linkTo.length)), at);
  });
  if (bytes !== null) await replaceFile(path, bytes);
  if (mode === undefined || content.startsWith(linkTo)) return;
  await changeInFolder(dirname(path), { create: false }, (locate) =>
    chmod(locate(basename(path)), mode),
  );
}

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

async function inspectPath(path: string, isRemoved: (link: string) => boolean): Promise<PathState> {
  try {
    const link = await linkOnTheWay(path);
    if (link !== null) return isRemoved(link) ? nothingThere : unknown;
    const at = bytesOfPath(path);
    const stat = await lstat(at);
    const mode = stat.mode & 0o7777;
    if (stat.isSymbolicLink())
      return { names: [linkTo + textOfPath(await readlink(at, { encoding: "buffer" }))] };
    if (stat.isDirectory()) return { names: ["folder", folderName(stat)], mode };
    if (!stat.isFile()) return { names: ["other"] };
    const same = sameName(path, stat);
    if (stat.size > maxKeptBytes) return { names: [same], mode };
    return { names: [hashBytes(await readFile(at)), same], mode };
  } catch (error) {
    if (errorCode(error) === "EACCES") return locked;
    return ["ENOENT", "ENOTDIR"].includes(errorCode(error)) ? nothingThere : unknown;
  }
}

/** Checkpoints name files without symlinks: where there is one now, it may lead anywhere. */
async function linkOnTheWay(path: string): Promise<string | null> {
  let first: string | null = null;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const found = await lstat(bytesOfPath(folder)).catch(() => null);
    if (found?.isSymbolicLink()) first = folder;
  }
  return first;
}

/** `LogError` holds a sentence; errors of the system hold a code. */
const errorMessage = (error: unknown): string =>
  error instanceof Error && !("code" in error) ? error.message : `${explainError(error)}.`;
