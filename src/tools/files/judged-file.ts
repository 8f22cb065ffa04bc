/** Reads and replaces files whose paths the permission check has approved, with errors for the model. */

import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isMissing, NotRegular, openRegular, type OpenedFile } from "../../base/regular-file.ts";
import { NotAFile, replaceFile as replace } from "../../base/replace-file.ts";
import { editDistance } from "../../base/edit-distance.ts";
import { ToolError } from "../tool.ts";
import { describeError, type WorkspacePath } from "../workspace.ts";
import { hashBytes } from "./changed-files.ts";
import type { SeenFiles } from "./file-access.ts";
import { decodeText, type DecodedText } from "./text.ts";

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
  if (isMissing(error))
    throw new ToolError(`${target.shown} does not exist.${await suggest(target.path)}`);
  const code = describeError(error);
  const what = code === "EACCES" || code === "EPERM" ? "read" : "opened";
  throw new ToolError(`${target.shown} cannot be ${what} (${code}).`);
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
  const near = names.flatMap((name) => {
    const other = name.toLowerCase();
    const isSame = stem !== "" && stem === other.replace(/\.[^.]+$/, "");
    const distance = isSame ? 0 : editDistance(lower, other, lower.length / 3);
    return distance === null ? [] : { name, distance };
  });
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, 3).map((candidate) => candidate.name);
}

/** Larger files are better changed by a program. */
const maxChangedBytes = 32 * 1024 * 1024;

export type WholeFile = DecodedText & { hash: string };

/** A text file before a change. Throws `ToolError` if it is missing, binary or too large. */
export async function readWhole(target: WorkspacePath): Promise<WholeFile> {
  await using file = await openFile(target);
  const { size } = file.stat;
  if (size > maxChangedBytes)
    throw new ToolError(`${target.shown} has ${size} bytes, too large to edit; use Bash.`);
  const bytes = await file.handle.readFile();
  const decoded = decodeText(bytes);
  if (!decoded)
    throw new ToolError(`${target.shown} is a binary file; it cannot be edited as text.`);
  return { ...decoded, hash: hashBytes(bytes) };
}

/** Throws `ToolError` if the file changed since this session last saw it. */
export function refuseIfChanged(target: WorkspacePath, hash: string, seenFiles: SeenFiles): void {
  const seen = seenFiles.lastSeen(target.path);
  if (seen === undefined || seen === hash) return;
  throw new ToolError(
    `${target.shown} changed on disk since you last read it. Read it again, then make the change.`,
  );
}

/** Like `base/replace-file.ts`, with errors for the model. Throws `ToolError`. */
export async function replaceFile(target: WorkspacePath, bytes: Uint8Array): Promise<void> {
  try {
    await replace(target.path, bytes);
  } catch (error) {
    throw new ToolError(
      error instanceof NotAFile
        ? `${target.shown} is not an ordinary file.`
        : `${target.shown} could not be written (${describeError(error)}).`,
    );
  }
}
