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
export function withWriting(path: string, stat: Stats, work: () => void): void {
  const isClosed = stat.isFile() && (stat.mode & 0o600) !== 0o600;
  if (isClosed) chmodSync(bytesOfPath(path), permissionBits(stat) | 0o600);
  work();
  if (isClosed) chmodSync(bytesOfPath(path), permissionBits(stat));
}

export const beneath = (folder: RawPath, way: string): RawPath =>
  Buffer.concat([Buffer.from(folder), Buffer.from("/"), Buffer.from(bytesOfPath(way))]);

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

/** To another file system. `links`: where the copy of a file with several names is. */
export function copyOver({ path, upper, is, inner }: LayerNode, to: RawPath, links: Links): void {
  if (upper === null || is === null) return;
  const from = bytesOfPath(upper);
  if (is.isSymbolicLink()) return symlinkSync(bytesOfPath(linkAt(from)), to);
  if (is.isDirectory()) {
    mkdirSync(to, { mode: 0o700 });
    for (const node of inner) copyOver(node, beneath(to, node.path.slice(path.length + 1)), links);
  } else if (isLinkedTo(links.get(is.ino), to)) return;
  else {
    withWriting(upper, is, () => copyFileSync(from, to, constants.COPYFILE_EXCL));
    if (is.nlink > 1)
      links.set(is.ino, { inode: lstatSync(to).ino, places: [to, bytesOfPath(path)] });
  }
  chmodSync(to, permissionBits(is) | (is.isDirectory() ? 0o700 : 0));
  utimesSync(to, is.atime, is.mtime);
}
