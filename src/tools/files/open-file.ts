import type { BigIntStats } from "node:fs";
import { readdir, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ToolError } from "../tool.ts";
import { codeOf, type WorkspacePath } from "../workspace.ts";
import { closestNames } from "./closest.ts";
import { NotRegular, openRegular } from "./open-regular.ts";

/** Opens a file for reading at the path that was judged. Throws `ToolError`. */
export const openFile = (
  place: WorkspacePath,
): Promise<{ handle: FileHandle; stat: BigIntStats }> =>
  openRegular(place.path).catch((error: unknown) => fail(place, error));

async function fail(place: WorkspacePath, error: unknown): Promise<never> {
  if (error instanceof NotRegular) {
    throw new ToolError(
      error.isFolder
        ? `${place.shown} is a folder; use Glob, or Bash with ls, to list it.`
        : `${place.shown} is a pipe, socket or device, not a file; it is not opened.`,
    );
  }
  const code = codeOf(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      throw new ToolError(`${place.shown} does not exist.${await suggest(place.path)}`);
    case "EACCES":
    case "EPERM":
      throw new ToolError(`${place.shown} may not be read (${code}).`);
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
