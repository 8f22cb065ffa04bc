import { constants, type BigIntStats } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { inFolder } from "../../disk/folder.ts";
import { errorCode } from "../../protocol/guards.ts";

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

/**
 * Opens a regular file for reading. `path` is absolute and without symlinks; those that appear
 * meanwhile are not followed. Never waits for a pipe. Throws `NotRegular` or the system's error.
 */
export async function openRegular(path: string): Promise<OpenedFile> {
  const handle = await inFolder(dirname(path), { create: false }, async (pathOf) => {
    const inside = pathOf(basename(path));
    // Checked first: merely opening a device or a pipe can have an effect.
    refuseUnlessRegular(await lstat(inside));
    return open(inside, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  });
  try {
    const stat = await handle.stat({ bigint: true });
    refuseUnlessRegular(stat);
    return { handle, stat, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
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
