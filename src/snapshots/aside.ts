/** Files that a command made for other programs are moved aside until the user has seen them. */

import { existsSync, lstatSync, rmdirSync } from "node:fs";
import {
  chmod,
  copyFile,
  cp,
  lstat,
  mkdir,
  readlink,
  rename,
  rm,
  symlink,
  unlink,
} from "node:fs/promises";
import { join } from "node:path";
import { changeInFolder } from "../base/folder.ts";
import { attempt, errorCode } from "../base/guards.ts";
import { basename, bytesOfPath, dirname } from "../base/path-bytes.ts";
import { textOfRegular } from "../base/regular-file.ts";
import { replaceFile } from "../base/replace-file.ts";
import { inOneLine } from "../base/escape-terminal.ts";
import { unseen, type RawPath } from "./look-at.ts";
import { isContentId } from "./objects.ts";
import { inspect, isLeft } from "./plan.ts";
import type { Change } from "./scan.ts";

/** `to`: where it is now; null: the command removed it. "stuck": it could not be moved. */
export type Aside = { change: Change; to: string | null };

type Loader = (ids: readonly string[]) => Promise<Map<string, Uint8Array>>;

/** Moves the changed files to `folder`, and puts back what was there. The others, `stay`, in their order. */
export async function setAside(
  changes: readonly Change[],
  isAside: (change: Change) => Promise<boolean>,
  folder: string,
  load: Loader,
): Promise<{ stay: Change[]; asides: Aside[] }> {
  const judged = await Promise.all(
    changes.map(async (change) => ({ change, moves: await isAside(change) })),
  );
  const moving = judged.flatMap(({ change, moves }) => (moves ? [change] : []));
  const stay = judged.flatMap(({ change, moves }) => (moves ? [] : [change]));
  if (moving.length === 0) return { stay, asides: [] };
  const before = moving.flatMap((change) => change.before ?? []).filter(isContentId);
  const contents = await load(before);
  for (const change of stay) await openFolder(change).catch(() => undefined);
  const asides: Aside[] = [];
  for (const [number, change] of moving.entries()) {
    const to = join(folder, `${number}-${basename(change.path).slice(0, 60).toWellFormed()}`);
    asides.push(await move(change, to, contents).catch(() => ({ change, to: "stuck" })));
  }
  const emptied = removeEmptied(stay);
  return { stay: stay.filter(({ path }) => !emptied.has(path)), asides };
}

async function move(
  change: Change,
  to: string,
  contents: ReadonlyMap<string, Uint8Array>,
): Promise<Aside> {
  const { path, before, after, mode = 0o644 } = change;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (after !== null)
    await changeInFolder(dirname(path), { create: false }, async (locate) => {
      const at = locate(basename(path));
      // A folder that may not be written cannot be moved.
      if (after === unseen) await setMode(at, 0o700);
      await moveFile(at, to);
      await setMode(to, after === unseen ? 0o700 : 0o600);
    });
  const bytes = before === null ? undefined : contents.get(before);
  if (bytes) await replaceFile(path, bytes);
  await changeInFolder(dirname(path), { create: before !== null }, async (locate) => {
    const at = locate(basename(path));
    if (bytes) await setMode(at, mode);
    if (before?.startsWith("link:")) await symlink(bytesOfPath(before.slice("link:".length)), at);
  });
  return { change, to: after === null ? null : to };
}

/**
 * Puts back what the user wants to keep. `back`: also the folders that this makes, which a rewind removes again.
 * `left`: what could not be put back.
 */
export async function putBack(
  asides: readonly Aside[],
): Promise<{ back: Change[]; left: Aside[] }> {
  const folders = missingAbove(asides.filter(({ to }) => to !== "stuck"));
  const left: Aside[] = [];
  for (const aside of asides)
    if (aside.to !== "stuck") await returnOne(aside).catch(() => left.push(aside));
  const back = asides.filter((aside) => !left.includes(aside)).map(({ change }) => change);
  return { back: [...folders, ...back], left };
}

async function returnOne({ change, to }: Aside): Promise<void> {
  const { path, modeAfter = 0o644, before } = change;
  await changeInFolder(dirname(path), { create: to !== null }, async (locate) => {
    const there = locate(basename(path));
    const stat = attempt(() => lstatSync(there), null);
    if (stat?.isDirectory() && before === "folder") rmdirSync(there);
    // Nothing but what was put there when it was moved aside.
    else if (stat && before !== null && isLeft(await inspect(path), { content: before }))
      await unlink(there);
    else if (stat) throw new Error(`${path} was made meanwhile.`);
    if (to === null) return;
    await setMode(to, modeAfter);
    await moveFile(to, there);
  });
}

function missingAbove(asides: readonly Aside[]): Change[] {
  const found = new Set<string>();
  for (const { change, to } of asides)
    for (
      let at = dirname(change.path);
      to !== null && !existsSync(bytesOfPath(at));
      at = dirname(at)
    )
      found.add(at);
  return [...found].map((path) => ({ path, before: null, after: "folder" }));
}

/** Makes a folder that the command closed writable again, so that its files can be moved. */
async function openFolder({ path, after, modeAfter = 0o700 }: Change): Promise<void> {
  if (after !== "folder" || (modeAfter & 0o700) === 0o700) return;
  await changeInFolder(dirname(path), { create: false }, (locate) =>
    setMode(locate(basename(path)), modeAfter | 0o700),
  );
}

/** Folders that the command made and that are empty now. */
function removeEmptied(changes: readonly Change[]): Set<string> {
  const removed = new Set<string>();
  for (const { path, before, after } of changes.toReversed()) {
    if (before !== null || after !== "folder") continue;
    if (attempt(() => (rmdirSync(bytesOfPath(path)), true), false)) removed.add(path);
  }
  return removed;
}

async function moveFile(from: RawPath, to: RawPath): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    if (errorCode(error) !== "EXDEV") throw error;
    const stat = await lstat(from);
    const target = stat.isSymbolicLink() ? await readlink(from, { encoding: "buffer" }) : null;
    if (target !== null) await symlink(target, to);
    else if (stat.isFile()) await copyFile(from, to);
    else if (stat.isDirectory()) await cp(from.toString(), to.toString(), { recursive: true });
    await rm(from, { force: true, recursive: true });
  }
}

/** Does not follow symlinks: the target belongs to others. */
async function setMode(path: RawPath, mode: number): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat?.isFile() || stat?.isDirectory()) await chmod(path, mode).catch(() => undefined);
}

const maxShownBytes = 1024 ** 2;
const maxShownLines = 400;

/** For the question: its name, and all that it holds. */
export async function describeAside(
  { change, to }: Aside,
  show: (path: string) => string,
): Promise<string> {
  const name = inOneLine(show(change.path));
  if (to === null) return `${name} (removed)`;
  if (to === "stuck") return `${name} (could not be moved aside: it is still there)`;
  if (change.after === unseen) return `${name} (it cannot be read)`;
  const kind = change.before === null ? "new" : "changed";
  const target = await readlink(to).catch(() => null);
  if (target !== null) return `${name} (${kind}, a link)\n-> ${inOneLine(target)}`;
  const text = (await textOfRegular(to, maxShownBytes)) ?? "(not shown)";
  const lines = text.split("\n");
  const more = lines.length - maxShownLines;
  const shown = lines.slice(0, maxShownLines).join("\n");
  return `${name} (${kind})\n${shown}${more > 0 ? `\n(${more} more lines, not shown)` : ""}`;
}
