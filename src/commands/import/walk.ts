import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt } from "../../base/guards.ts";

/**
 * The file itself, or every file below a folder that may hold sessions, sorted by name. Null when
 * there is no such file or folder.
 */
export function filesAt(place: string, cwd: string): { files: string[]; isFolder: boolean } | null {
  const path = resolve(cwd, place);
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) return null;
  return info.isDirectory()
    ? { files: filesBelow(path, mayHoldSessions).sort(), isFolder: true }
    : { files: [path], isFolder: false };
}

/** Also the JSON of older versions of Gemini CLI, and the database of opencode. */
const mayHoldSessions = /\.jsonl(?:\.zst)?$|^session-.*\.json$|^opencode.*\.db$/;

/**
 * Files with such a name, at most `maxDepth` folders deep; none where a folder cannot be read. Links
 * to folders are not followed, since they may form a cycle.
 */
export function filesBelow(folder: string, name: RegExp, maxDepth = Infinity): string[] {
  const entries = attempt(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return maxDepth > 0 ? filesBelow(path, name, maxDepth - 1) : [];
    return name.test(entry.name) && (entry.isFile() || entry.isSymbolicLink()) ? [path] : [];
  });
}
