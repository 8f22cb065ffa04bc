import { relative } from "node:path";

/** Larger files are not worth putting into a summary. */
const maxBytes = 2_000_000;

/** A file of the workspace as text. Null if it is missing, outside, binary or very large. */
export async function workspaceText(workspace: string, path: string): Promise<string | null> {
  if (relative(workspace, path).startsWith("..")) return null;
  const file = Bun.file(path);
  if (!(await file.exists()) || file.size > maxBytes) return null;
  const text = await file.text();
  return text.includes("\0") ? null : text;
}
