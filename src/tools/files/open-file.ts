import { constants, type BigIntStats } from "node:fs";
import { lstat, open, readdir, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ToolError } from "../tool.ts";
import { codeOf, type WorkspacePath } from "../workspace.ts";
import { closestNames } from "./closest.ts";
import { inFolder } from "./folder.ts";

/**
 * Opens an ordinary file for reading. The last part of the path must not have become a symlink
 * since the path was judged; pipes and devices are refused without waiting for them.
 */
export async function openFile(
  place: WorkspacePath,
): Promise<{ handle: FileHandle; stat: BigIntStats }> {
  const handle = await inFolder(dirname(place.path), { create: false }, async (pathOf) => {
    const path = pathOf(basename(place.path));
    // A look before the open: opening a device or a pipe can itself have an effect.
    refuseUnlessFile(place, await lstat(path));
    return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  }).catch((error: unknown) => fail(place, error));
  try {
    const opened = await handle.stat({ bigint: true });
    refuseUnlessFile(place, opened);
    return { handle, stat: opened };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

type Kinds = { isFile(): boolean; isDirectory(): boolean };

function refuseUnlessFile(place: WorkspacePath, stat: Kinds): void {
  if (stat.isFile()) return;
  throw new ToolError(
    stat.isDirectory()
      ? `${place.shown} is a folder; use Glob, or Bash with ls, to list it.`
      : `${place.shown} is a pipe, socket or device, not a file; it is not opened.`,
  );
}

async function fail(place: WorkspacePath, error: unknown): Promise<never> {
  if (error instanceof ToolError) throw error;
  const code = codeOf(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      throw new ToolError(`${place.shown} does not exist.${await suggest(place.path)}`);
    case "EACCES":
    case "EPERM":
      throw new ToolError(`${place.shown} may not be read (${code}).`);
    case "ELOOP":
      throw new ToolError(`${place.shown} became a symlink while it was being opened; try again.`);
    default:
      throw new ToolError(`${place.shown} cannot be opened (${code}).`);
  }
}

async function suggest(path: string): Promise<string> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  const near = closestNames(basename(path), names).map((name) => join(folder, name));
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}
