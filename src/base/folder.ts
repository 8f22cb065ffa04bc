/**
 * Holds a folder's handle, so that swapping the folder for a symlink has no effect: every system call resolves its
 * path again, and a symlink put in place between two calls would redirect the second.
 */

import { closeSync, constants, mkdirSync, openSync, readlinkSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { attempt, errorCode } from "./guards.ts";
import { makeFolder, syncFolder } from "./durable.ts";
import { bytesOfPath } from "./path-bytes.ts";

/** A place in the tree, without permission to read it. Linux only; not in `constants`. */
const O_PATH = 0x200000;
const flags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Gives the path of a name in the folder. */
export type Locate = (name: string) => string | Buffer;

/**
 * Calls `use` with a function that gives paths in `folder`, an absolute path without symlinks. On
 * Linux they lead there even if a part of the path becomes a symlink. Throws the
 * system's error if a part is missing (unless `create`), not a folder, or a symlink.
 */
export async function inFolder<T>(
  folder: string,
  { create }: { create: boolean },
  use: (locate: Locate) => Promise<T>,
): Promise<T> {
  if (process.platform !== "linux") return inCheckedFolder(folder, create, use);
  const handle = openAtOnce(folder) ?? openByParts(folder, create);
  try {
    return await use((name) => beneath(handle, name));
  } finally {
    closeSync(handle);
  }
}

/** Null if a part is missing or a symlink, or if the kernel knows the folder by another path. */
function openAtOnce(folder: string): number | null {
  const handle = attempt(() => openSync(bytesOfPath(folder), flags), null);
  if (handle === null) return null;
  const link = `/proc/self/fd/${handle}`;
  const real = attempt(() => readlinkSync(link, { encoding: "buffer" }), null);
  if (real?.equals(Buffer.from(bytesOfPath(folder)))) return handle;
  closeSync(handle);
  return null;
}

function openByParts(folder: string, create: boolean): number {
  let handle = openSync("/", flags);
  try {
    for (const part of folder.split("/").filter((part) => part !== "")) {
      const next = openInner(handle, part, create);
      closeSync(handle);
      handle = next;
    }
    return handle;
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

/** Like `inFolder`; throws, too, if the folder's name leads to another one in the end. */
export async function changeInFolder(
  folder: string,
  options: { create: boolean },
  change: (locate: Locate) => Promise<void>,
): Promise<void> {
  await inFolder(folder, options, async (locate) => {
    await change(locate);
    const [held, named] = [statSync(locate(".")), statSync(bytesOfPath(folder))];
    if (held.ino !== named.ino || held.dev !== named.dev)
      throw new Error(`The folder ${folder} was replaced in the meantime.`);
  });
}

const beneath = (handle: number, name: string): string | Buffer =>
  bytesOfPath(`/proc/self/fd/${handle}/${name}`);

function openInner(handle: number, part: string, create: boolean): number {
  const path = beneath(handle, part);
  try {
    return openSync(path, flags);
  } catch (error) {
    if (!create || errorCode(error) !== "ENOENT") throw error;
    try {
      mkdirSync(path);
    } catch (failure) {
      if (errorCode(failure) !== "EEXIST") throw failure;
    }
    syncFolder(`/proc/self/fd/${handle}`);
    return openSync(path, flags);
  }
}

/** Without /proc, the check comes before the use: a race can still get past it. */
async function inCheckedFolder<T>(
  folder: string,
  create: boolean,
  use: (locate: Locate) => Promise<T>,
): Promise<T> {
  if (create) makeFolder(folder, 0o777);
  if ((await realpath(folder)) !== folder) {
    throw Object.assign(new Error("The folder became a symlink."), { code: "ELOOP" });
  }
  return use((name) => join(folder, name));
}
