/** Reads files of any name and mode. */

import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from "node:fs";
import { attempt, errorCode } from "../base/guards.ts";
import { bytesOfPath, textOfPath } from "../base/path-bytes.ts";

/** State of a path of unknown kind and content, as records store it. */
export const unreadable = "unseen";

export const permissionBits = ({ mode }: Stats): number => mode & 0o7777;

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(errorCode(error));

/** Null: the path does not exist. */
export function readStat(path: string): Stats | typeof unreadable | null {
  try {
    return lstatSync(bytesOfPath(path), { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    return isMissing(error) ? null : unreadable;
  }
}

export const linkAt = (path: string): string =>
  textOfPath(readlinkSync(bytesOfPath(path), { encoding: "buffer" }));

type Entries = { folders: string[]; files: string[] };

/** Null when it cannot be read. */
export function listEntries(folder: string): Entries | null {
  try {
    const entries = readdirSync(bytesOfPath(folder), { withFileTypes: true });
    if (entries.some(({ name }) => name.includes("\uFFFD"))) return strangeEntries(folder);
    const [folders, files]: [string[], string[]] = [[], []];
    for (const entry of entries) (entry.isDirectory() ? folders : files).push(entry.name);
    return { folders, files };
  } catch (error) {
    return isMissing(error) ? { folders: [], files: [] } : null;
  }
}

/** For names that are not valid UTF-8. */
function strangeEntries(folder: string): Entries {
  const names = readdirSync(bytesOfPath(folder), { encoding: "buffer" }).map(textOfPath);
  const isFolder = (name: string): boolean => {
    const stat = readStat(`${folder}/${name}`);
    return stat !== null && stat !== unreadable && stat.isDirectory();
  };
  const folders = names.filter(isFolder);
  return { folders, files: names.filter((name) => !folders.includes(name)) };
}

/** Made readable for the duration of the scan. */
export type Unlocked = { handle: number; mode: number };

const maxUnlocked = 200;

/** A place in the tree, without permission to read it. Linux only; not in `constants`. */
const O_PATH = 0x200000;

/**
 * Adds the permission `bits` unless all of `needed` are set; false: unreadable. Uses a handle, because the path may be
 * redirected meanwhile.
 */
export function unlock(
  path: string,
  stat: Stats | typeof unreadable,
  unlocked: Unlocked[],
  bits = 0o700,
  needed = bits & 0o500,
): stat is Stats {
  if (stat === unreadable) return false;
  if ((stat.mode & needed) === needed) return true;
  if (stat.uid !== process.getuid?.() || process.platform !== "linux") return true;
  if (unlocked.length >= maxUnlocked) return false;
  const handle = attempt(() => openSync(bytesOfPath(path), O_PATH | constants.O_NOFOLLOW), null);
  if (handle === null) return false;
  if (fstatSync(handle).ino !== stat.ino) {
    closeSync(handle);
    return false;
  }
  unlocked.push({ handle, mode: permissionBits(stat) });
  return attempt(() => (chmodSync(openPlace(handle), permissionBits(stat) | bits), true), false);
}

export function lock({ handle, mode }: Unlocked): void {
  attempt(() => chmodSync(openPlace(handle), mode), undefined);
  closeSync(handle);
}

const openPlace = (handle: number): string => `/proc/self/fd/${handle}`;

/** Reads a file whose owner has no read permission. */
export function readClosed(path: string, stat: Stats): Buffer | null {
  const unlocked: Unlocked[] = [];
  const isOpen = unlock(path, stat, unlocked, 0o400);
  const bytes = isOpen ? attempt(() => readFileSync(bytesOfPath(path)), null) : null;
  unlocked.forEach(lock);
  return bytes;
}
