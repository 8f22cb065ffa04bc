import { constants } from "node:fs";
import { open } from "node:fs/promises";

/** The text of a regular file; null in the same cases as `bytesOfRegular`. */
export async function readRegular(path: string, maxBytes: number): Promise<string | null> {
  return (await bytesOfRegular(path, maxBytes))?.toString() ?? null;
}

/**
 * The bytes of a regular file of at most `maxBytes` bytes; null for everything else. Never waits
 * for a pipe and never follows a symlink in the last part of the path.
 */
export async function bytesOfRegular(path: string, maxBytes: number): Promise<Buffer | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
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
