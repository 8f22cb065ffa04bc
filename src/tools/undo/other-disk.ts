/** The command's version may be on another disk than the workspace, to which it is copied instead of moved. */

import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  type Stats,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { attempt, errorCode } from "../../base/guards.ts";
import { bytesOfPath } from "../../base/path-bytes.ts";
import type { LayerNode } from "./layer-tree.ts";
import { linkAt, permissionBits, type RawPath } from "./look-at.ts";

/** Files can be moved between two folders of the same disk and mount. */
export function diskOf(folder: string): string {
  const handle = openSync(bytesOfPath(folder), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const about = readFileSync(`/proc/self/fdinfo/${handle}`, "utf8");
    return `${fstatSync(handle).dev} ${/^mnt_id:\s*(\d+)/m.exec(about)?.[1] ?? ""}`;
  } finally {
    closeSync(handle);
  }
}

/** Throws the system's error unless it is only that `to` is on another disk. */
export function canRename(from: RawPath, to: RawPath): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EXDEV") return false;
    throw error;
  }
}

/** Marks of a file can be removed only while it can be written. */
export async function withWriting(
  path: string,
  stat: Stats,
  work: () => Promise<void> | void,
): Promise<void> {
  const isClosed = stat.isFile() && (stat.mode & 0o600) !== 0o600;
  if (isClosed) chmodSync(bytesOfPath(path), permissionBits(stat) | 0o600);
  await work();
  if (isClosed) chmodSync(bytesOfPath(path), permissionBits(stat));
}

export const beneath = (folder: RawPath, way: string): RawPath =>
  Buffer.concat([Buffer.from(folder), Buffer.from("/"), Buffer.from(bytesOfPath(way))]);

/** A larger file is copied by another thread, in bytes. */
const maxAtOnce = 1024 ** 2;

/** By inode of the command's version. `places`: while it is being copied, and then. */
export type Links = Map<number, { inode: number; places: RawPath[] }>;

/** Whether it is now another name of a file that was copied before. Its place may lead elsewhere by now. */
function isLinkedTo(
  copied: { inode: number; places: RawPath[] } | undefined,
  to: RawPath,
): boolean {
  return (
    copied?.places.some((place) => {
      if (!attempt(() => (linkSync(place, to), true), false)) return false;
      if (lstatSync(to).ino === copied.inode) return true;
      unlinkSync(to);
      return false;
    }) === true
  );
}

/** To another file system. `links`: where the copy of a file with several names is. `pause`: called now and then. */
export async function copyOver(
  { path, upper, is, inner }: LayerNode,
  to: RawPath,
  links: Links,
  pause: () => Promise<void>,
): Promise<void> {
  if (upper === null || is === null) return;
  await pause();
  const from = bytesOfPath(upper);
  if (is.isSymbolicLink()) return symlinkSync(bytesOfPath(linkAt(from)), to);
  if (is.isDirectory()) {
    mkdirSync(to, { mode: 0o700 });
    for (const node of inner)
      await copyOver(node, beneath(to, node.path.slice(path.length + 1)), links, pause);
  } else if (isLinkedTo(links.get(is.ino), to)) return;
  else {
    // Its other names are linked to the copy, which must be there by then.
    const copy = is.size > maxAtOnce && is.nlink === 1 ? copyFile : copyFileSync;
    await withWriting(upper, is, () => copy(from, to, constants.COPYFILE_EXCL));
    if (is.nlink > 1)
      links.set(is.ino, { inode: lstatSync(to).ino, places: [to, bytesOfPath(path)] });
  }
  chmodSync(to, permissionBits(is) | (is.isDirectory() ? 0o700 : 0));
  utimesSync(to, is.atime, is.mtime);
}
