import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ToolError } from "../tool.ts";
import { codeOf, type WorkspacePath } from "../workspace.ts";
import { NotRegular, openRegular, type OpenedFile } from "../../disk/regular-file.ts";
import { editDistance } from "../../protocol/edit-distance.ts";

/** Opens the file at the path that was judged. Throws `ToolError`. */
export const openFile = (target: WorkspacePath): Promise<OpenedFile> =>
  openRegular(target.path).catch((error: unknown) => fail(target, error));

async function fail(target: WorkspacePath, error: unknown): Promise<never> {
  if (error instanceof NotRegular) {
    throw new ToolError(
      error.isFolder
        ? `${target.shown} is a folder; use Glob, or Bash with ls, to list it.`
        : `${target.shown} is a pipe, socket or device, not a file.`,
    );
  }
  const code = codeOf(error);
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      throw new ToolError(`${target.shown} does not exist.${await suggest(target.path)}`);
    case "EACCES":
    case "EPERM":
      throw new ToolError(`${target.shown} cannot be read (${code}).`);
    default:
      throw new ToolError(`${target.shown} cannot be opened (${code}).`);
  }
}

async function suggest(path: string): Promise<string> {
  const folder = dirname(path);
  const names = await readdir(folder).catch(() => []);
  const near = closestNames(basename(path), names).map((name) => join(folder, name));
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

/** At most three similar names, the most similar first. */
function closestNames(wanted: string, names: readonly string[]): string[] {
  const lower = wanted.toLowerCase();
  const stem = lower.replace(/\.[^.]+$/, "");
  const near: { name: string; distance: number }[] = [];
  for (const name of names) {
    const other = name.toLowerCase();
    const otherStem = other.replace(/\.[^.]+$/, "");
    const distance =
      stem !== "" && stem === otherStem ? 0 : editDistance(lower, other, lower.length / 3);
    if (distance !== null) near.push({ name, distance });
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, 3).map((one) => one.name);
}
