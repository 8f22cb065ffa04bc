import { realpath } from "node:fs/promises";
import { holds } from "../workspace.ts";
import { openRegular } from "../../base/regular-file.ts";

/** Larger files are not worth putting into a summary. */
const maxBytes = 2_000_000;

/**
 * A file of the workspace as text; `path` is absolute and without symlinks. Null if it is missing,
 * outside, not a regular file, binary or very large.
 */
export async function workspaceText(workspace: string, path: string): Promise<string | null> {
  if (!holds(await realpath(workspace), path)) return null;
  await using file = await openRegular(path).catch(() => null);
  if (file === null || file.stat.size > maxBytes) return null;
  const text = await file.handle.readFile("utf8");
  return text.includes("\0") ? null : text;
}
