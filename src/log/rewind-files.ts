import { chmod, lstat, mkdir, readlink, rm, rmdir, symlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { changeInFolder } from "../base/folder.ts";
import { replaceFile } from "../base/replace-file.ts";
import type { EntryOf } from "../protocol/entry.ts";
import { errorCode } from "../base/guards.ts";
import { hashBytes, type Checkpoints } from "./checkpoints.ts";
import { reasonOf } from "./log-error.ts";

/** The checkpoints to undo and those to apply again, both oldest first. */
export type FileRewind = {
  undo: readonly EntryOf<"checkpoint">[];
  redo: readonly EntryOf<"checkpoint">[];
};

/** What happens to one file, link or folder. */
type RewindStep =
  | { how: "restore"; path: string; content: string; executable?: boolean }
  | { how: "delete"; path: string }
  /** Someone else changed it, or what belongs to it: it is left alone. */
  | { how: "keep"; path: string };

/**
 * The files that a rewind would change, and those it would not touch. Files that need no change are
 * left out.
 */
export async function planRewind({ undo, redo }: FileRewind): Promise<RewindStep[]> {
  const targets = new Map<string, string | null>();
  const known = new Map<string, Set<string | null>>();
  const executable = new Set<string>();
  for (const { files } of [...undo, ...redo]) {
    for (const { path, before, after, ...file } of files) {
      if (file.executable && !targets.has(path)) executable.add(path);
      if (!targets.has(path)) targets.set(path, before);
      known.set(path, (known.get(path) ?? new Set()).add(before).add(after));
    }
  }
  for (const { files } of redo) for (const { path, after } of files) targets.set(path, after);
  const steps: RewindStep[] = [];
  for (const [path, content] of targets) {
    const current = await contentOf(path);
    if (current === content) continue;
    if (!known.get(path)?.has(current)) steps.push({ how: "keep", path });
    else if (content === null) steps.push({ how: "delete", path });
    else steps.push({ how: "restore", path, content, executable: executable.has(path) });
  }
  return together(steps);
}

const repository = /^(.*?\/\.git)\//;

/** The files of a repository belong together: none is changed if one cannot be. */
function together(steps: readonly RewindStep[]): RewindStep[] {
  const of = ({ path }: RewindStep): string | undefined => repository.exec(path)?.[1];
  const kept = new Set(steps.flatMap((step) => (step.how === "keep" ? (of(step) ?? []) : [])));
  return steps.map((step) => {
    const git = of(step);
    return git !== undefined && kept.has(git) ? { how: "keep", path: step.path } : step;
  });
}

/** What is deleted first, and what is in a folder before the folder. */
function inOrder(steps: readonly RewindStep[]): RewindStep[] {
  const isDelete = ({ how }: RewindStep): boolean => how === "delete";
  const deletes = steps.filter(isDelete).toSorted((a, b) => (a.path < b.path ? 1 : -1));
  return [...deletes, ...steps.filter((step) => !isDelete(step))];
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
  for (const step of inOrder(await planRewind(rewind))) {
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
      return restore(step.path, step.content, step.executable === true, store);
    case "delete":
      return changeInFolder(dirname(step.path), { create: false }, async (pathOf) => {
        const at = pathOf(basename(step.path));
        if ((await lstat(at)).isDirectory()) await rmdir(at);
        else await rm(at, { force: true });
      });
    case "keep":
      return;
  }
}

const link = "link:";

async function restore(
  path: string,
  content: string,
  executable: boolean,
  store: Checkpoints,
): Promise<void> {
  const isFile = content !== "folder" && !content.startsWith(link);
  const bytes = isFile ? await store.load(content) : null;
  await changeInFolder(dirname(path), { create: true }, async (pathOf) => {
    const at = pathOf(basename(path));
    if (content === "folder") return void (await mkdir(at, { recursive: true }));
    const isLink = (await lstat(at).catch(() => null))?.isSymbolicLink() === true;
    if (isLink || bytes === null) await rm(at, { force: true });
    if (bytes === null) await symlink(content.slice(link.length), at);
  });
  if (bytes === null) return;
  await replaceFile(path, bytes);
  if (executable)
    await changeInFolder(dirname(path), { create: false }, (pathOf) =>
      chmod(pathOf(basename(path)), 0o755),
    );
}

/** The hash of a file that no checkpoint can hold: it cannot be read, or is not a regular file. */
const unknown = "unknown";

/** Its hash, `link:` with what it leads to, or `folder`; null when there is nothing. */
async function contentOf(path: string): Promise<string | null> {
  try {
    if (await leadsThroughLink(path)) return unknown;
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) return link + (await readlink(path));
    if (stat.isDirectory()) return "folder";
    return stat.isFile() ? hashBytes(await Bun.file(path).bytes()) : unknown;
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(errorCode(error)) ? null : unknown;
  }
}

/** Checkpoints name files without symlinks: where there is one now, it may lead anywhere. */
async function leadsThroughLink(path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const found = await lstat(folder).catch(() => null);
    if (found?.isSymbolicLink()) return true;
  }
  return false;
}

/** `LogError` holds a sentence; errors of the system hold a code. */
const messageOf = (error: unknown): string =>
  error instanceof Error && !("code" in error) ? error.message : `${reasonOf(error)}.`;
