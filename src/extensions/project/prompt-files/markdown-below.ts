import { readdir } from "node:fs/promises";
import { join } from "node:path";

export const maxFiles = 500;
/** How many levels of folders are searched. */
const maxDepth = 5;

/**
 * Markdown files below a folder, by their relative paths, in order. Links to folders are not
 * followed.
 */
export const markdownBelow = async (folder: string): Promise<string[]> =>
  (await below(folder, "", 0)).toSorted().slice(0, maxFiles);

async function below(folder: string, above: string, depth: number): Promise<string[]> {
  const entries = await readdir(join(folder, above), { withFileTypes: true }).catch(() => []);
  const paths: string[] = [];
  for (const entry of entries.slice(0, maxFiles)) {
    const path = join(above, entry.name);
    if (entry.isDirectory() && depth < maxDepth)
      paths.push(...(await below(folder, path, depth + 1)));
    else if (entry.name.endsWith(".md")) paths.push(path);
  }
  return paths;
}
