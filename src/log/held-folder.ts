/**
 * Works in a folder that cannot be replaced meanwhile. A path is followed again by every system
 * call, so that somebody who swaps a folder for a symlink between two of them could lead a write
 * elsewhere.
 */

import { constants } from "node:fs";
import { open, readlink } from "node:fs/promises";
import { LogError } from "./log-error.ts";

/**
 * Calls `work` with a path that always leads to this folder, whatever its name leads to by then. Throws
 * `LogError` when the folder is another one than its name says, before or after.
 *
 * Without `/proc`, as on macOS, there is no such path: the name itself is used, and a swap in the middle
 * would go unnoticed. What could prevent it, `renameat`, is not available without native code.
 */
export async function inHeldFolder<T>(
  folder: string,
  work: (held: string) => Promise<T>,
): Promise<T> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  await using handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const held = `/proc/self/fd/${handle.fd}`;
  const check = async (): Promise<boolean> => {
    const name = await readlink(held).catch(() => null);
    if (name !== null && name !== folder)
      throw new LogError(`The folder ${folder} was replaced in the meantime.`);
    return name !== null;
  };
  if (!(await check())) return work(folder);
  const result = await work(held);
  await check();
  return result;
}
