/** Lists the files that a removal would delete, for the question: the names, and how many. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../../base/in-words.ts";
import { errorCode } from "../../base/guards.ts";

/** Names that the question lists. */
const maxNames = 3;

/** How many files are counted, and for how many milliseconds. */
const limits = { files: 10_000, ms: 250 };

/**
 * "dist, 214 files"; only the names if they hold patterns, which only a shell can expand. Links are
 * files.
 */
export async function removedInWords(
  paths: readonly string[],
  show: (path: string) => string,
): Promise<string> {
  const rest = paths.length - maxNames;
  const names = [...paths.slice(0, maxNames).map(show), ...(rest > 0 ? [`${rest} more`] : [])].join(
    ", ",
  );
  if (paths.some((path) => /[*?[{$`~]/.test(path))) return names;
  const files = await countFiles(paths);
  if (files === null) return `${names}, more than can be counted quickly`;
  return files === 0 ? names : `${names}, ${counted(files, "file")}`;
}

/** Null: too many. */
async function countFiles(paths: readonly string[]): Promise<number | null> {
  const until = performance.now() + limits.ms;
  const left = [...paths];
  let files = 0;
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    try {
      for (const entry of await readdir(path, { withFileTypes: true })) {
        if (entry.isDirectory()) left.push(join(path, entry.name));
        else files++;
      }
    } catch (error) {
      if (errorCode(error) === "ENOTDIR") files++;
    }
    if (files > limits.files || performance.now() > until) return null;
  }
  return files;
}
