import { randomUUID } from "node:crypto";
import { constants, fchmodSync, readdirSync, rmSync } from "node:fs";
import { lstat, open, rm } from "node:fs/promises";
import { disk, publishTogether, writeAll } from "./durable.ts";
import { changeInFolder, inFolder } from "./folder.ts";
import { attempt } from "./guards.ts";
import { basename, dirname } from "./path-bytes.ts";

/** A folder, a symlink or the like in the place of the file. */
export class NotAFile extends Error {}

/**
 * Gives a file new content at once: readers see either the old or the new, also after a power loss.
 * Keeps the mode of an existing file and makes missing folders. `path` is absolute and without
 * symlinks; symlinks that appear later are not followed. Throws `NotAFile` or the system's error; then
 * the old file is unchanged.
 */
export const replaceFile = (path: string, bytes: Uint8Array): Promise<void> =>
  changeInFolder(dirname(path), { create: true }, (locate) =>
    replace(locate(basename(path)), locate(partName()), bytes),
  );

/** A new name for a file beside another until it is whole. */
const partName = (): string => `.${process.pid}.${randomUUID()}.tmp`;

const part = /^\.(\d+)\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

/** Removes such files, and folders, of processes that were killed. `folder` is absolute and without symlinks. */
export const removeParts = (folder: string): Promise<void> =>
  inFolder(folder, { create: false }, async (locate) => {
    for (const name of readdirSync(locate("."))) {
      const id = Number(part.exec(name)?.[1]);
      if (id > 0 && !isAlive(id)) rmSync(locate(name), { recursive: true, force: true });
    }
  });

const isAlive = (id: number): boolean => attempt(() => process.kill(id, 0), false);

type RawPath = string | Buffer;

async function replace(file: RawPath, part: RawPath, bytes: Uint8Array): Promise<void> {
  const old = await lstat(file).catch(() => null);
  if (old && !old.isFile()) throw new NotAFile("It is not an ordinary file.");
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  try {
    await using handle = await open(part, flags, 0o666);
    await writeAll(handle.fd, bytes);
    // Drops setuid and setgid, as any write does.
    if (old) fchmodSync(handle.fd, old.mode & 0o1777);
    await disk.fdatasync(handle.fd);
    await publishTogether(part, file);
  } finally {
    await rm(part, { force: true });
  }
}
