import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { foldersBetween } from "./folders.ts";
import { projectSettings } from "./hook-settings.ts";
import { agentFolders } from "./subagents.ts";
import { instructionFiles } from "./instructions.ts";

/** What an untrusted project has that is not used, in words. Looks only whether files exist. */
export function leftOut(root: string, cwd: string): string[] {
  const instructions = instructionFiles({ root, cwd })
    .filter(isThere)
    .map((file) => basename(file));
  const settings = foldersBetween(root, cwd)
    .flatMap((folder) => projectSettings.filter((name) => isThere(join(folder, name))))
    .map((name) => `${name} (hooks)`);
  const agents = agentFolders.filter((name) => isThere(join(root, name)));
  const git = isThere(join(root, ".git")) ? ["git status"] : [];
  return [...new Set([...instructions, ...settings, ...agents]), ...git];
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
