import { realpathSync } from "node:fs";
import { delimiter, isAbsolute } from "node:path";
import { holds } from "../tools/workspace.ts";

/**
 * A PATH without the programs of a project: package runners put its `node_modules/.bin` first, and
 * a relative folder is whatever the current folder holds. `root` is without symlinks.
 */
export const pathOutside = (path: string, root: string): string =>
  path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !holds(root, realOrSame(folder)))
    .join(delimiter);

function realOrSame(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
