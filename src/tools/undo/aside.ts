/** Files that other programs run are set aside until the user has seen them. */

import { existsSync, rmdirSync } from "node:fs";
import {
  chmod,
  copyFile,
  cp,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { changeInFolder } from "../../base/folder.ts";
import { attempt, errorCode } from "../../base/guards.ts";
import { basename, bytesOfPath, dirname } from "../../base/path-bytes.ts";
import { replaceFile } from "../../base/replace-file.ts";
import type { RawPath } from "./look-at.ts";
import type { StateChange } from "./workspace-state.ts";

/**
 * `to`: where it is now; null: the command removed it. "stuck": it could not be moved. `isUnkept`: what was there
 * before is too large to be kept.
 */
export type Aside = { change: StateChange; to: string | null; isUnkept?: boolean };

export const isHash = (kept: string | null): kept is string =>
  kept !== null && /^[0-9a-f]{64}$/.test(kept);

/** Of something that is set aside: its own name may be as long as the file system allows. */
export const asideName = (number: number, path: string): string =>
  `${number}-${basename(path).slice(0, 60).toWellFormed()}`;

/** Moves what is there to `to`, and puts back what was. `load`: null for what was not kept. */
export async function setAside(
  change: StateChange,
  to: string,
  load: (hash: string) => Uint8Array | null,
): Promise<Aside> {
  const { path, before, after, mode = 0o644 } = change;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (after !== null)
    await changeInFolder(dirname(path), { create: false }, async (locate) => {
      const at = locate(basename(path));
      // A folder that may not be written cannot be moved.
      if (after === "unseen") await setMode(at, 0o700);
      await move(at, to);
      await setMode(to, after === "unseen" ? 0o700 : 0o600);
    });
  const bytes = isHash(before) ? load(before) : null;
  if (bytes) await replaceFile(path, bytes);
  await changeInFolder(dirname(path), { create: before !== null }, async (locate) => {
    const at = locate(basename(path));
    if (bytes) await setMode(at, mode);
    if (before?.startsWith("link:")) await symlink(bytesOfPath(before.slice("link:".length)), at);
  });
  return { change, to: after === null ? null : to };
}

/** Makes a folder that the command closed writable again, so that its files can be moved. */
export async function openFolder({ path, after, modeAfter = 0o700 }: StateChange): Promise<void> {
  if (after !== "folder" || (modeAfter & 0o700) === 0o700) return;
  await changeInFolder(dirname(path), { create: false }, (locate) =>
    setMode(locate(basename(path)), modeAfter | 0o700),
  );
}

export async function putBack({ change, to }: Aside): Promise<void> {
  const { path, modeAfter = 0o644 } = change;
  await changeInFolder(dirname(path), { create: to !== null }, async (locate) => {
    const there = locate(basename(path));
    await rm(there, { force: true, recursive: /^(?:folder$|tree:)/.test(change.before ?? "") });
    if (to === null) return;
    await setMode(to, modeAfter);
    await move(to, there);
  });
}

/** Folders that are made when these are put back. */
export function missingAbove(asides: readonly Aside[]): StateChange[] {
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

export async function move(from: RawPath, to: RawPath): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    if (errorCode(error) !== "EXDEV") throw error;
    const stat = await lstat(from);
    // Anything else has no content.
    if (stat.isFile() || stat.isSymbolicLink()) await copyThere(from, to);
    else if (stat.isDirectory()) await cp(from.toString(), to.toString(), { recursive: true });
    await rm(from, { force: true, recursive: true });
  }
}

async function copyThere(from: RawPath, to: RawPath): Promise<void> {
  const target = await readlink(from, { encoding: "buffer" }).catch(() => null);
  if (target !== null) await symlink(target, to);
  else await copyFile(from, to);
}

/** Not through a link: its target is somebody else's file. */
export async function setMode(path: RawPath, mode: number): Promise<void> {
  const stat = await lstat(path).catch(() => null);
  if (stat?.isFile() || stat?.isDirectory()) await chmod(path, mode).catch(() => undefined);
}

/** Larger files are not read. */
const maxReadBytes = 1024 ** 2;

/** The text of a file; null for links, devices, pipes and large files, which are never opened. */
export async function readRegular(path: string): Promise<string | null> {
  const stat = await lstat(path).catch(() => null);
  if (!stat?.isFile() || stat.size > maxReadBytes) return null;
  return readFile(path, "utf8").catch(() => null);
}

const shownLines = 12;

export async function describe(
  { change, to, isUnkept = false }: Aside,
  show: (path: string) => string,
): Promise<string> {
  const name = show(change.path) + (isUnkept ? " (too large for a rewind to bring back)" : "");
  if (to === null) return `${name} (removed)`;
  if (to === "stuck") return `${name} (could not be moved aside: it is still there)`;
  if (change.after === "unseen") return `${name} (it cannot be read)`;
  const kind = change.before === null ? "new" : "changed";
  const target = await readlink(to).catch(() => null);
  if (target !== null) return `${name} (${kind}, a link)\n-> ${target}`;
  const text = (await readRegular(to)) ?? "(not shown)";
  return `${name} (${kind})\n${text.split("\n").slice(0, shownLines).join("\n")}`;
}

/** Folders that the command made and that are empty now. */
export function removeEmptied(changes: readonly StateChange[]): Set<string> {
  const removed = new Set<string>();
  for (const { path, before, after } of changes.toReversed()) {
    if (before !== null || after !== "folder") continue;
    if (attempt(() => (rmdirSync(bytesOfPath(path)), true), false)) removed.add(path);
  }
  return removed;
}
