/** Reads regular files: a pipe is never waited for, and a device is not even opened. */

import { constants, type BigIntStats } from "node:fs";
import { lstat, open, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { errorCode } from "./guards.ts";
import { inFolder } from "./folder.ts";

/** A folder, pipe, socket, device or symlink in place of a file. */
export class NotRegular extends Error {
  override readonly name = "NotRegular";
  readonly isFolder: boolean;

  constructor(isFolder: boolean) {
    super("not a regular file");
    this.isFolder = isFolder;
  }
}

/** A file that is open for reading, until it is disposed of. */
export type OpenedFile = AsyncDisposable & { handle: FileHandle; stat: BigIntStats };

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file for reading. `path` is absolute and without symlinks; symlinks that appear later are
 * not followed. Throws `NotRegular` or the system's error.
 */
export async function openRegular(path: string): Promise<OpenedFile> {
  const handle = await inFolder(dirname(path), { create: false }, async (locate) => {
    const inside = locate(basename(path));
    // Checked first: merely opening a device or a pipe can have an effect.
    refuseUnlessRegular(await lstat(inside));
    return open(inside, flags);
  });
  try {
    const stat = await handle.stat({ bigint: true });
    refuseUnlessRegular(stat);
    if (process.platform !== "linux") await assertStillThere(path, stat);
    return { handle, stat, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** For systems on which `inFolder` cannot hold a folder: a parent may have become a symlink before the open. */
async function assertStillThere(path: string, opened: BigIntStats): Promise<void> {
  const real = await realpath(path);
  const now = await lstat(real, { bigint: true });
  if (real !== path || now.ino !== opened.ino || now.dev !== opened.dev)
    throw Object.assign(new Error("The file was replaced while it was opened."), { code: "ELOOP" });
}

/** The bytes of such a file; null if there is none. Throws like `openRegular`. */
export async function readIfPresent(path: string): Promise<Buffer | null> {
  try {
    await using file = await openRegular(path);
    return await file.handle.readFile();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes(errorCode(error));

function refuseUnlessRegular(stats: { isFile(): boolean; isDirectory(): boolean }): void {
  if (!stats.isFile()) throw new NotRegular(stats.isDirectory());
}

/**
 * The bytes of a file of at most `maxBytes` bytes; null for everything else. Follows symlinks, but not
 * in the last part of the path.
 */
export async function bytesOfRegular(path: string, maxBytes: number): Promise<Buffer | null> {
  await using handle = await open(path, flags).catch(() => null);
  if (handle === null) return null;
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > maxBytes) return null;
    return await handle.readFile();
  } catch {
    return null;
  }
}

/** `bytesOfRegular`, as text. */
export const textOfRegular = async (path: string, maxBytes: number): Promise<string | null> =>
  (await bytesOfRegular(path, maxBytes))?.toString() ?? null;
