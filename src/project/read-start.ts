import { constants } from "node:fs";
import { lstat, open, readlink, realpath, type FileHandle } from "node:fs/promises";

type FileStart = {
  /** The first bytes, as text. */
  text: string;
  /** Bytes of the whole file. */
  size: number;
};

/**
 * The start of a regular file, if `accepts` its real path, which is checked again once the file is
 * open: a folder on the way may have become a symlink since. Null for everything else; pipes and
 * devices are never opened for reading.
 */
export async function readStart(
  path: string,
  bytes: number,
  accepts: (realPath: string) => boolean,
): Promise<FileStart | null> {
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    // Opening a device can itself have an effect.
    if (!accepts(real) || !(await lstat(real)).isFile()) return null;
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile() || !(await leadsTo(handle, accepts, real))) return null;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return { text: buffer.toString("utf8", 0, bytesRead), size: stat.size };
  } catch {
    return null;
  } finally {
    await handle?.close();
  }
}

/** Linux knows the path of a descriptor; elsewhere the path must still resolve to the same file. */
async function leadsTo(
  handle: FileHandle,
  accepts: (realPath: string) => boolean,
  real: string,
): Promise<boolean> {
  if (process.platform === "linux") return accepts(await readlink(`/proc/self/fd/${handle.fd}`));
  const [now, opened] = await Promise.all([lstat(await realpath(real)), handle.stat()]);
  return now.ino === opened.ino && now.dev === opened.dev && accepts(await realpath(real));
}
