/** A project, and what is read of a file: of its own, or of the user's. */

import { realpath } from "node:fs/promises";
import { openRegular } from "../../base/regular-file.ts";
import { isSecret, type HomeFolders } from "../../tools/permission/sensitive.ts";
import { holds } from "../../tools/workspace.ts";

/** The opened folder, and the root that trust is decided for; both without symlinks. */
export type Project = { root: string; folder: string; isTrusted: boolean };

/** A trusted project: its root and the opened folder in it, both without symlinks. */
export type TrustedProject = { root: string; cwd: string; homes: HomeFolders };

/** Whether a path, without symlinks, is a file of the project that holds no secret. */
export const projectFile =
  ({ root, homes }: Pick<TrustedProject, "root" | "homes">) =>
  (path: string): boolean =>
    holds(root, path) && !isSecret(path, homes);

/**
 * The first bytes of a regular file as text, if `accepts` its real path, and the bytes of all of it. Null
 * for everything else.
 */
export async function readStart(
  path: string,
  bytes: number,
  accepts: (realPath: string) => boolean,
): Promise<{ text: string; size: number } | null> {
  try {
    const real = await realpath(path);
    if (!accepts(real)) return null;
    await using file = await openRegular(real);
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return { text: buffer.toString("utf8", 0, bytesRead), size: Number(file.stat.size) };
  } catch {
    return null;
  }
}
