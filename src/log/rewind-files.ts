import { lstat, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { changeInFolder } from "../base/folder.ts";
import { replaceFile } from "../base/replace-file.ts";
import type { EntryOf } from "../protocol/entry.ts";
import { errorCode } from "../base/guards.ts";
import { hashOf, type Checkpoints } from "./checkpoints.ts";
import { reasonOf } from "./log-error.ts";

/** The checkpoints to undo and those to apply again, both oldest first. */
export type FileRewind = {
  undo: readonly EntryOf<"checkpoint">[];
  redo: readonly EntryOf<"checkpoint">[];
};

/** What happens to one file. */
type RewindStep =
  | { how: "restore"; path: string; hash: string }
  | { how: "delete"; path: string }
  /** Someone else changed it: no checkpoint holds its content, so it is left alone. */
  | { how: "keep"; path: string };

/**
 * The files that a rewind would change, and those it would not touch. Files that need no change are
 * left out.
 */
export async function planRewind({ undo, redo }: FileRewind): Promise<RewindStep[]> {
  const targets = new Map<string, string | null>();
  const known = new Map<string, Set<string | null>>();
  for (const { files } of [...undo, ...redo]) {
    for (const { path, before, after } of files) {
      if (!targets.has(path)) targets.set(path, before);
      known.set(path, (known.get(path) ?? new Set()).add(before).add(after));
    }
  }
  for (const { files } of redo) for (const { path, after } of files) targets.set(path, after);
  const steps: RewindStep[] = [];
  for (const [path, hash] of targets) {
    const current = await contentOf(path);
    if (current === hash) continue;
    if (!known.get(path)?.has(current)) steps.push({ how: "keep", path });
    else steps.push(hash === null ? { how: "delete", path } : { how: "restore", path, hash });
  }
  return steps;
}

/** One line of a preview. */
export function describeStep({ how }: RewindStep, name: string): string {
  switch (how) {
    case "restore":
      return `Restore ${name}`;
    case "delete":
      return `Delete  ${name}`;
    case "keep":
      return `Keep    ${name} (changed since)`;
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
  for (const step of await planRewind(rewind)) {
    try {
      await carryOut(step, store);
      done.push(step);
    } catch (error) {
      failures.push(`Could not ${step.how} ${show(step.path)}: ${messageOf(error)}`);
    }
  }
  const list = (how: RewindStep["how"]): string =>
    done.flatMap((step) => (step.how === how ? [show(step.path)] : [])).join(", ");
  const sentences = [
    ...(list("restore") ? [`Restored ${list("restore")}.`] : []),
    ...(list("delete") ? [`Deleted ${list("delete")}.`] : []),
    ...(list("keep") ? [`Left alone, because changed since: ${list("keep")}.`] : []),
    ...failures,
  ];
  return sentences.join(" ") || "No file had to be changed.";
}

async function carryOut(step: RewindStep, store: Checkpoints): Promise<void> {
  switch (step.how) {
    case "restore":
      return replaceFile(step.path, await store.load(step.hash));
    case "delete":
      return changeInFolder(dirname(step.path), { create: false }, (pathOf) =>
        rm(pathOf(basename(step.path)), { force: true }),
      );
    case "keep":
      return;
  }
}

/** The hash of a file that no checkpoint can hold: it cannot be read, or is not a regular file. */
const unknown = "unknown";

/** Its hash; null when there is no such file. */
async function contentOf(path: string): Promise<string | null> {
  try {
    return (await isRegular(path)) ? hashOf(await Bun.file(path).bytes()) : unknown;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(errorCode(error)) ? null : unknown;
  }
}

/**
 * Checkpoints name files without symlinks: where there is one now, it may lead anywhere. Throws
 * "ENOENT" when there is nothing.
 */
async function isRegular(path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const found = await lstat(folder).catch(() => null);
    if (found?.isSymbolicLink()) return false;
  }
  return (await lstat(path)).isFile();
}

/** `LogError` holds a sentence; errors of the system hold a code. */
const messageOf = (error: unknown): string =>
  error instanceof Error && !("code" in error) ? error.message : `${reasonOf(error)}.`;
