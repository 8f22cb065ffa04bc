/** Files that are hidden from searches and from read-only commands. */

import type { Workspace } from "../../tools/workspace.ts";
import type { Rules } from "../rules/rules.ts";
import { listSecrets, type HomeFolders } from "./sensitive.ts";
import { readTool } from "../tool-names.ts";

/**
 * Returns a test for the names in a folder: whether they are hidden. Called for every file of large
 * trees. The folder's path is absolute, without "..", and ends with a separator.
 */
export type HiddenFilter = (folder: string) => (name: string) => boolean;

/** Files that may hold secrets, that a rule denies or asks about, and results of other sessions. */
export function hiddenFiles(
  folders: HomeFolders,
  workspace: Workspace,
  rules: Rules,
): HiddenFilter {
  const { results } = workspace;
  const secrets = listSecrets(folders);
  const isOfOthers = (path: string): boolean =>
    path.startsWith(results) && workspace.areaOf(path) === "outside";
  return (folder) => {
    const isSecret = secrets(folder);
    const isRefused = rules.refusedPaths(readTool);
    const mayBeOfOthers = folder.startsWith(results) || results.startsWith(folder);
    return (name) =>
      isSecret(name) ||
      isRefused?.(folder + name) === true ||
      (mayBeOfOthers && isOfOthers(folder + name));
  };
}
