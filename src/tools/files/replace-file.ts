import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rename, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ToolError } from "../tool.ts";
import { codeOf, type WorkspacePath } from "../workspace.ts";
import { inFolder, syncFolder } from "./folder.ts";

/**
 * Gives a file new content at once: readers see either the old or the new. Keeps the mode of an
 * existing file and makes missing folders. What it wrote survives a power loss. Throws `ToolError`; then
 * the old file is unchanged.
 */
export async function replaceFile(target: WorkspacePath, bytes: Uint8Array): Promise<void> {
  const name = basename(target.path);
  try {
    await inFolder(dirname(target.path), { create: true }, (pathOf) =>
      replaceIn(target, { file: pathOf(name), temporary: pathOf(`.${randomUUID()}.tmp`) }, bytes),
    );
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`${target.shown} could not be written (${codeOf(error)}).`);
  }
}

async function replaceIn(
  target: WorkspacePath,
  { file, temporary }: { file: string; temporary: string },
  bytes: Uint8Array,
): Promise<void> {
  const old = await lstat(file).catch(() => null);
  if (old && !old.isFile()) throw new ToolError(`${target.shown} is not an ordinary file.`);
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  try {
    const handle = await open(temporary, flags, 0o666);
    try {
      await handle.writeFile(bytes);
      if (old) await handle.chmod(old.mode & 0o7777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}
