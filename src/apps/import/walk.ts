import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt } from "../../protocol/attempt.ts";

/**
 * The file itself, or every file below a folder that may hold sessions, sorted by name. Links to folders are not
 * followed, since they may form a cycle. Null when there is no such file or folder.
 */
export function filesAt(place: string, cwd: string): { files: string[]; isFolder: boolean } | null {
  const path = resolve(cwd, place);
  const info = statSync(path, { throwIfNoEntry: false });
  if (!info) return null;
  if (!info.isDirectory()) return { files: [path], isFolder: false };
  const files: string[] = [];
  const waiting = [path];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of namesIn(folder)) {
      const name = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(name);
      else if (isSession.test(entry.name) && (entry.isFile() || entry.isSymbolicLink()))
        files.push(name);
    }
  }
  return { files: files.sort(), isFolder: true };
}

/** Also the JSON of older versions of Gemini CLI, and the database of opencode. */
const isSession = /\.jsonl(?:\.zst)?$|^session-.*\.json$|^opencode.*\.db$/;

/** Empty for a folder that cannot be read. */
const namesIn = (folder: string) => attempt(() => readdirSync(folder, { withFileTypes: true }), []);
