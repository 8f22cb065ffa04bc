import { randomUUID } from "node:crypto";
import { constants, fchmodSync } from "node:fs";
import { lstat, open, rm } from "node:fs/promises";
import { disk, publishTogether, writeAll } from "./durable.ts";
import { join } from "node:path";
import { changeInFolder } from "./folder.ts";
import { errorCode } from "./guards.ts";
import { basename, dirname } from "./path-bytes.ts";

/** A folder, a symlink or the like in the place of the file. */
export class NotAFile extends Error {}

/**
 * Gives a file new content at once: readers see either the old or the new, also after a power loss.
 * Keeps the mode of an existing file and makes missing folders. `path` is absolute and without
 * symlinks; symlinks that appear later are not followed. `stage`: a folder for the file until it is
 * whole, if it is on the same disk; else it is beside the old one. Throws `NotAFile` or the system's
 * error; then the old file is unchanged.
 */
export async function replaceFile(path: string, bytes: Uint8Array, stage?: string): Promise<void> {
  const put = (folder: string | undefined): Promise<void> =>
    changeInFolder(dirname(path), { create: true }, (locate) => {
      const name = `.${randomUUID()}.tmp`;
      const part = folder === undefined ? locate(name) : join(folder, name);
      return replace(locate(basename(path)), part, bytes);
    });
  await put(stage).catch((error: unknown) => {
    if (stage === undefined || errorCode(error) !== "EXDEV") throw error;
    return put(undefined);
  });
}

type RawPath = string | Buffer;

async function replace(file: RawPath, part: RawPath, bytes: Uint8Array): Promise<void> {
  const old = await lstat(file).catch(() => null);
  if (old && !old.isFile()) throw new NotAFile("It is not an ordinary file.");
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  try {
    await using handle = await open(part, flags, 0o666);
    await writeAll(handle.fd, bytes);
    if (old) fchmodSync(handle.fd, old.mode & 0o7777);
    await disk.fdatasync(handle.fd);
    await publishTogether(part, file);
  } finally {
    await rm(part, { force: true });
  }
}
