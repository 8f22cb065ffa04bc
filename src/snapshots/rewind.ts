/** Executes the plan of a rewind. */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { changeInFolder, type Locate } from "../base/folder.ts";
import { basename, bytesOfPath, dirname } from "../base/path-bytes.ts";
import { yieldLoop } from "../base/long-work.ts";
import { removeParts, replaceFile } from "../base/replace-file.ts";
import { inOneLine } from "../base/escape-terminal.ts";
import { explainError } from "../log/log-error.ts";
import { createObjects, findGit, openObjects, snapshotFolder } from "./objects.ts";
import { isContentId, type Checkpoints } from "../log/checkpoints.ts";
import type { Entry } from "../protocol/entry.ts";
import {
  inspect,
  isLeft,
  linkTo,
  openedMode,
  planRewind,
  type FileRewind,
  type RewindStep,
} from "./plan.ts";
import type { Change } from "./scan.ts";

type Action = Exclude<RewindStep, { how: "keep" }>;
type Restoration = Extract<Action, { how: "restore" }>;

const changedNow = "It has changed in the meantime.";
const maxNamed = 50;
const atOnce = 16;
const maxDeleted = 500;

export type RewoundFiles = { text: string; files: Change[] };

/** Continues after failures; returns a report in sentences, and the changes made. */
export async function rewindFiles(
  contents: Contents,
  rewind: FileRewind,
  showPath: (path: string) => string,
): Promise<RewoundFiles> {
  const show = (path: string): string => inOneLine(showPath(path));
  const failures: string[] = [];
  const fail = (step: Action, error: unknown): void =>
    void failures.push(`Could not ${step.how} ${show(step.path)}: ${sentenceOf(error)}`);
  const unlocked = await unlock(rewind);
  const steps = await planRewind(rewind, modesOf(unlocked));
  const order = inOrder(steps);
  const actions = order.flat();
  // Leftovers of an earlier rewind that was killed.
  for (const folder of new Set(actions.filter(isFile).map(({ path }) => dirname(path))))
    await removeParts(folder).catch(() => undefined);
  const done: Action[] = [];
  const pause = yieldLoop();
  for (const batch of order) {
    const results = await carryOut(batch, contents).catch((error: unknown) =>
      batch.map(() => error),
    );
    for (const [at, step] of batch.entries())
      if (results[at] === null) done.push(step);
      else fail(step, results[at]);
    await pause();
  }
  // Restore folder modes after their contents.
  for (const step of done.toReversed())
    if (step.how === "restore" && step.content === "folder")
      await setMode(step).catch((error: unknown) => fail(step, error));
  const changed = new Set(done.map(({ path }) => path));
  await lock(unlocked.filter(({ path }) => !changed.has(path)));
  return { text: describe(steps, done, failures, show), files: done.map(changeOf) };
}

/** What `rewindFiles` would do. */
export async function previewRewind(rewind: FileRewind): Promise<RewindStep[]> {
  const unlocked = await unlock(rewind);
  const steps = await planRewind(rewind, modesOf(unlocked));
  await lock(unlocked);
  return steps;
}

function changeOf(step: Action): Change {
  const { path, left, now } = step;
  const modeAfter = step.how === "restore" ? step.mode : undefined;
  const { mode } = now;
  return {
    path,
    before: now.stat ? left.content : null,
    after: step.how === "restore" ? step.content : null,
    ...(mode !== undefined && { mode }),
    ...(modeAfter !== undefined && { modeAfter }),
  };
}

function describe(
  steps: readonly RewindStep[],
  done: readonly Action[],
  failures: readonly string[],
  show: (path: string) => string,
): string {
  const list = (listed: readonly RewindStep[]): string => {
    const more = listed.length - maxNamed;
    const names = listed.slice(0, maxNamed).map(({ path }) => show(path));
    return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
  };
  const kept = Map.groupBy(
    steps.flatMap((step) => (step.how === "keep" ? [step] : [])),
    ({ why }) => why,
  );
  const groups: [string, readonly RewindStep[]][] = [
    ["Restored ", done.filter(({ how }) => how === "restore")],
    ["Deleted ", done.filter(({ how }) => how === "delete")],
    ...[...kept].map(([why, listed]): [string, readonly RewindStep[]] => [
      `Skipped (${why}): `,
      listed,
    ]),
  ];
  const sentences = groups.flatMap(([verb, listed]) =>
    listed.length === 0 ? [] : [`${verb}${list(listed)}.`],
  );
  const unsaid = failures.length - maxNamed;
  const said = failures.slice(0, maxNamed);
  if (unsaid > 0) said.push(`${unsaid} more could not be rewound.`);
  return [...sentences, ...said].join(" ") || "No file had to be changed.";
}

const isFile = (step: RewindStep): step is Restoration =>
  step.how === "restore" && isContentId(step.content);

type Unlocked = { path: string; closed: number; opened: number };

/** Makes folders and files without permissions accessible for the rewind. */
async function unlock({ undo, redo }: FileRewind): Promise<Unlocked[]> {
  const unlocked: Unlocked[] = [];
  const files = [
    ...filesOf(undo).map(({ path, after, modeAfter }) => ({
      path,
      content: after,
      closed: modeAfter,
    })),
    ...filesOf(redo).map(({ path, before, mode }) => ({ path, content: before, closed: mode })),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, content, closed } of files) {
    if (closed === undefined) continue;
    const opened = openedMode(content, closed);
    if (opened === closed) continue;
    await setModeIf(path, closed, opened)
      .then(() => unlocked.push({ path, closed, opened }))
      .catch(() => undefined);
  }
  return unlocked;
}

const modesOf = (unlocked: readonly Unlocked[]): Map<string, number> =>
  new Map(unlocked.map(({ path, closed }) => [path, closed]));

async function lock(unlocked: readonly Unlocked[]): Promise<void> {
  for (const { path, closed, opened } of unlocked.toReversed())
    await setModeIf(path, opened, closed).catch(() => undefined);
}

const filesOf = (entries: FileRewind["undo"]): Change[] => entries.flatMap(({ files }) => files);

/** Throws if the mode has changed since. */
async function setModeIf(path: string, was: number, mode: number): Promise<void> {
  await changeInFolder(dirname(path), { create: false }, async (locate) => {
    const at = locate(basename(path));
    const stat = lstatSync(at);
    if (stat.isSymbolicLink() || (stat.mode & 0o7777) !== was) throw new Error(changedNow);
    chmodSync(at, mode);
  });
}

/**
 * Deletions first, the inside of a folder before the folder; then a folder before its inside; then files. Together:
 * deletions in one folder, and files, which share the waits for the disk.
 */
function inOrder(steps: readonly RewindStep[]): Action[][] {
  const down = steps.flatMap((step) => (step.how === "keep" ? [] : [step]));
  const deletions = down.filter(({ how }) => how === "delete").toReversed();
  const made = down.filter((step) => step.how === "restore" && !isFile(step));
  const batches: Action[][] = [];
  for (const step of [...deletions, ...made, ...down.filter(isFile)]) {
    const batch = batches.at(-1) ?? [];
    const [first] = batch;
    const isAlike =
      step.how === "delete"
        ? first?.how === "delete" && dirname(first.path) === dirname(step.path)
        : first !== undefined && isFile(first) && isFile(step);
    if (isAlike && batch.length < (step.how === "delete" ? maxDeleted : atOnce)) batch.push(step);
    else batches.push([step]);
  }
  return batches;
}

/** Per step: null, or the error. Contents are stored before they are removed. */
async function carryOut(steps: readonly Action[], contents: Contents): Promise<unknown[]> {
  const taken = new Map(
    steps.flatMap(({ left, path, now }) =>
      now.stat?.isFile() && left.content !== null ? [[left.content, path] as const] : [],
    ),
  );
  await contents.keep([...taken.keys()].filter(isContentId), async (id) =>
    readFileSync(bytesOfPath(taken.get(id) ?? "")),
  );
  const isNew = ({ content, now }: Restoration): boolean => !now.names.includes(content);
  const load = await contents.load(
    steps.filter(isFile).flatMap((step) => (isNew(step) ? step.content : [])),
  );
  const [first] = steps;
  if (first?.how !== "delete")
    return Promise.all(
      steps.map((step) => (step.how === "restore" ? errorOf(restore(step, load)) : null)),
    );
  const results: unknown[] = [];
  await changeInFolder(dirname(first.path), { create: false }, async (locate) => {
    for (const step of steps) results.push(await errorOf(remove(step, locate)));
  });
  return results;
}

const errorOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

/** Removes what the turn left; a folder only if empty. Throws if the path has changed since. */
async function remove(step: Action, locate: Locate): Promise<void> {
  const at = locate(basename(step.path));
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (!(await isStillLeft(step))) throw new Error(changedNow);
  if (stat.isDirectory()) rmdirSync(at);
  else unlinkSync(at);
}

async function isStillLeft({ path, left, now }: Action): Promise<boolean> {
  const stat = lstatSync(bytesOfPath(path), { throwIfNoEntry: false });
  const { stat: was } = now;
  if (
    stat &&
    was &&
    stat.ino === was.ino &&
    stat.size === was.size &&
    stat.mtimeMs === was.mtimeMs &&
    stat.ctimeMs === was.ctimeMs
  )
    return true;
  // Another name of it, or what is in the folder, may be gone by now.
  return isLeft(await inspect(path), left);
}

/** Restores everything except folder modes, which come last. */
async function restore(
  step: Restoration,
  load: (id: string) => Promise<Uint8Array>,
): Promise<void> {
  const { path, content, now } = step;
  const isSame = now.names.includes(content);
  const bytes = isFile(step) && !isSame ? await load(content) : null;
  if (!isSame)
    await changeInFolder(dirname(path), { create: true }, async (locate) => {
      const at = locate(basename(path));
      const stat = lstatSync(at, { throwIfNoEntry: false });
      if ((stat === undefined) !== (now.stat === undefined) || (stat && !(await isStillLeft(step))))
        throw new Error(changedNow);
      if (stat && !(bytes !== null && stat.isFile())) await remove(step, locate);
      if (content === "folder") mkdirSync(at);
      if (content.startsWith(linkTo)) symlinkSync(bytesOfPath(content.slice(linkTo.length)), at);
    });
  if (bytes !== null) await replaceFile(path, bytes);
  if (content !== "folder") await setMode(step);
}

async function setMode({ path, mode, content }: Restoration): Promise<void> {
  if (mode === undefined || content.startsWith(linkTo)) return;
  await changeInFolder(dirname(path), { create: false }, async (locate) =>
    chmodSync(locate(basename(path)), mode),
  );
}

/** `LogError` and our own hold a sentence; errors of the system hold a code. */
const sentenceOf = (error: unknown): string =>
  error instanceof Error && !("code" in error) ? error.message : `${explainError(error)}.`;

export type Contents = ReturnType<typeof openContents>;

/**
 * Contents that a rewind needs: of commands in git objects, of file tools in checkpoints. `own`: our own folder.
 * `root`: the workspace.
 */
export function openContents(own: string, root: string, checkpoints: Checkpoints | null) {
  const git = findGit();
  const folder = snapshotFolder(own, root);

  /** Subagents work in folders of their own, and workspaces are moved. */
  async function loadElsewhere(id: string): Promise<Uint8Array | null> {
    if (git === null) return null;
    for (const name of await readdir(join(own, "snapshots")).catch(() => [])) {
      const other = join(own, "snapshots", name);
      if (name === "running" || other === folder) continue;
      const found = (await openObjects(other, git).load([id])).get(id);
      if (found) return found;
    }
    return null;
  }

  return {
    /** Reading a missing content throws with a sentence. */
    async load(ids: readonly string[]): Promise<(id: string) => Promise<Uint8Array>> {
      const found = git === null ? new Map() : await openObjects(folder, git).load(ids);
      return async (id) => {
        const bytes = found.get(id) ?? (await loadElsewhere(id));
        if (bytes) return bytes;
        if (checkpoints === null) throw new Error("Its content is no longer kept.");
        return checkpoints.load(id);
      };
    },

    /** Saves what is about to be taken away, if it is not there yet. `read`: its bytes. */
    async keep(ids: readonly string[], read: (id: string) => Promise<Uint8Array>): Promise<void> {
      if (git === null) {
        for (const id of ids) await checkpoints?.save(await read(id));
        return;
      }
      createObjects(folder);
      const objects = openObjects(folder, git);
      const writer = objects.writer();
      for (const id of await objects.missing(ids)) await writer.add(await read(id));
      await writer.finish();
    },
  };
}

/**
 * Changes from before the workspace was renamed, under the paths of today. `path`: the session, which names each folder
 * that it worked in. `cwd`: where it works now.
 */
export function inNewPlace(rewind: FileRewind, path: readonly Entry[], cwd: string): FileRewind {
  const folders = path.flatMap((entry) => (entry.type === "session" ? [entry.cwd] : []));
  const gone = [...new Set(folders)].filter((folder) => folder !== cwd && !existsSync(folder));
  const move = (file: string): string => {
    const from = gone.find((folder) => file === folder || file.startsWith(`${folder}/`));
    return from === undefined ? file : cwd + file.slice(from.length);
  };
  const moved = (checkpoints: FileRewind["undo"]): FileRewind["undo"] =>
    checkpoints.map((checkpoint) => ({
      ...checkpoint,
      files: checkpoint.files.map((change) => ({ ...change, path: move(change.path) })),
    }));
  return { ...rewind, undo: moved(rewind.undo), redo: moved(rewind.redo) };
}
