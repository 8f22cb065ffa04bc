/** Puts files back as they were before the messages that a rewind leaves. */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { changeInFolder, inFolder, type Locate } from "../base/folder.ts";
import { basename, bytesOfPath, dirname } from "../base/path-bytes.ts";
import { pauser } from "../base/pauser.ts";
import { removeParts, replaceFile } from "../base/replace-file.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { explainError } from "./log-error.ts";
import { removeFolders } from "./remove-folders.ts";
import { linkTo, planRewind, type FileRewind, type RewindStep } from "./rewind-plan.ts";

/** Carries out the plan as far as it can; returns what it did, in sentences. */
export async function rewindFiles(
  store: Checkpoints,
  rewind: FileRewind,
  show: (path: string) => string,
): Promise<string> {
  let done: RewindStep[] = [];
  const failures: string[] = [];
  const fail = (step: RewindStep, error: unknown): void => {
    const how = step.how === "move" ? "restore" : step.how;
    failures.push(`Could not ${how} ${show(step.path)}: ${errorMessage(error)}`);
  };
  await unlock(rewind.undo);
  const steps = inOrder(await planRewind(rewind));
  // Of an earlier rewind that was killed.
  for (const folder of new Set(steps.filter(isFile).map(({ path }) => dirname(path))))
    await removeParts(folder).catch(() => undefined);
  const removed = await removeFolders(steps, () => store.trash());
  done = [...removed];
  const pause = pauser();
  for (const batch of batches(steps.filter((step) => !removed.has(step)))) {
    const results = await carryOut(batch, store);
    for (const [at, step] of batch.entries())
      if (results[at] === null) done.push(step);
      else fail(step, results[at]);
    await pause();
  }
  // A folder may close once all is in it that belongs there.
  for (const step of done.toReversed())
    if (step.how === "restore" && step.content === "folder")
      await setMode(step).catch((error: unknown) => fail(step, error));
  const list = (isListed: (step: RewindStep) => boolean): string => {
    const listed = done.filter(isListed);
    const names = listed.slice(0, maxNamed).map(({ path }) => show(path));
    const more = listed.length - names.length;
    return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
  };
  const reasons = new Set(done.flatMap((step) => (step.how === "keep" ? [step.why] : [])));
  const sentences = [
    ["Restored ", list(({ how }) => how === "restore" || how === "move")],
    ["Deleted ", list(({ how }) => how === "delete")],
    ...[...reasons].map((why) => [
      `Skipped (${why}): `,
      list((step) => step.how === "keep" && step.why === why),
    ]),
  ].flatMap(([verb, names]) => (names === "" ? [] : [`${verb}${names}.`]));
  const unsaid = failures.length - maxNamed;
  if (unsaid > 0) failures.splice(maxNamed, unsaid, `${unsaid} more could not be rewound.`);
  return [...sentences, ...failures].join(" ") || "No file had to be changed.";
}

const maxNamed = 50;

/** Steps that can be carried out together: deletions in one folder, and files that share the wait for the disk. */
function* batches(steps: readonly RewindStep[]): Generator<RewindStep[]> {
  let batch: RewindStep[] = [];
  const belongs = (step: RewindStep): boolean => {
    const [first] = batch;
    if (first?.how === "delete" && step.how === "delete")
      return dirname(first.path) === dirname(step.path) && batch.length < maxDeleted;
    return first !== undefined && isFile(first) && isFile(step) && batch.length < atOnce;
  };
  for (const step of steps) {
    if (batch.length > 0 && !belongs(step)) {
      yield batch;
      batch = [];
    }
    batch.push(step);
  }
  if (batch.length > 0) yield batch;
}

const atOnce = 16;
const maxDeleted = 500;

const isFile = (step: RewindStep): boolean =>
  step.how === "restore" && step.content !== "folder" && !step.content.startsWith(linkTo);

/** Restores access that a command took away, so that the paths can be inspected. */
async function unlock(undo: FileRewind["undo"]): Promise<void> {
  const files = undo
    .flatMap((checkpoint) => checkpoint.files)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, mode = 0, modeAfter = mode } of files) {
    if ((mode & ~modeAfter & 0o700) === 0) continue;
    await changeInFolder(dirname(path), { create: false }, async (locate) => {
      const at = locate(basename(path));
      const stat = lstatSync(at);
      if (!stat.isSymbolicLink() && (stat.mode & 0o7777) === modeAfter) chmodSync(at, mode);
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

/** One batch; for each step null, or why it failed. */
async function carryOut(steps: readonly RewindStep[], store: Checkpoints): Promise<unknown[]> {
  const [first] = steps;
  if (first?.how !== "delete") return Promise.all(steps.map((step) => errorOf(take(step, store))));
  const results: unknown[] = [];
  const failure = await errorOf(
    changeInFolder(dirname(first.path), { create: false }, async (locate) => {
      for (const step of steps)
        if (step.how === "delete")
          results.push(await errorOf(remove(locate(basename(step.path)), step.isWhole)));
    }),
  );
  return failure === null ? results : steps.map(() => failure);
}

const errorOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

async function take(step: RewindStep, store: Checkpoints): Promise<void> {
  if (step.how === "restore") return restore(step, store);
  if (step.how !== "move") return;
  await changeInFolder(dirname(step.path), { create: true }, async (locate) => {
    const at = locate(basename(step.path));
    await remove(at, step.isWhole);
    await inFolder(dirname(step.from), { create: false }, async (fromOf) =>
      renameSync(fromOf(basename(step.from)), at),
    );
  });
}

/** A folder only if it is empty, unless it is removed as a whole. */
async function remove(at: ReturnType<Locate>, isWhole: boolean): Promise<void> {
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!stat.isDirectory()) unlinkSync(at);
  else if (isWhole) await rm(at, { recursive: true, force: true });
  else rmdirSync(at);
}

type Restoration = Extract<RewindStep, { how: "restore" }>;

/** All but the mode of a folder, which comes last. */
async function restore(step: Restoration, store: Checkpoints): Promise<void> {
  const { path, content } = step;
  const isFolder = content === "folder";
  const bytes = isFile(step) ? await store.load(content) : null;
  await changeInFolder(dirname(path), { create: true }, async (locate) => {
    const at = locate(basename(path));
    const stat = lstatSync(at, { throwIfNoEntry: false });
    const isKind = isFolder ? stat?.isDirectory() : bytes !== null && stat?.isFile();
    if (stat && !isKind) await remove(at, false);
    if (isFolder && !isKind) mkdirSync(at);
    if (content.startsWith(linkTo)) symlinkSync(bytesOfPath(content.slice(linkTo.length)), at);
  });
  if (bytes === null) return;
  await replaceFile(path, bytes);
  await setMode(step);
}

async function setMode({ path, mode }: Restoration): Promise<void> {
  if (mode === undefined) return;
  await changeInFolder(dirname(path), { create: false }, async (locate) =>
    chmodSync(locate(basename(path)), mode),
  );
}

/** `LogError` holds a sentence; errors of the system hold a code. */
const errorMessage = (error: unknown): string =>
  error instanceof Error && !("code" in error) ? error.message : `${explainError(error)}.`;
