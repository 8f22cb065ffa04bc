import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ToolError } from "../tool.ts";
import { codeOf, type WorkspacePath } from "../workspace.ts";

/**
 * Gives a file new content at once: readers see the old or the new one, never a half. Keeps the
 * mode of an existing file, makes missing folders. Throws `ToolError`; the old file stays then.
 */
export async function replaceFile(place: WorkspacePath, bytes: Uint8Array): Promise<void> {
  const folder = dirname(place.path);
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    if ((await realpath(folder)) !== folder) {
      throw new ToolError(`${place.shown}: its folder became a symlink meanwhile; try again.`);
    }
    const old = await stat(place.path).catch(() => null);
    if (old && !old.isFile()) throw new ToolError(`${place.shown} is not an ordinary file.`);
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
    const handle = await open(temporary, flags, 0o666);
    try {
      await handle.writeFile(bytes);
      if (old) await handle.chmod(old.mode & 0o7777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, place.path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    if (error instanceof ToolError) throw error;
    throw new ToolError(`${place.shown} could not be written (${codeOf(error)}).`);
  }
}
