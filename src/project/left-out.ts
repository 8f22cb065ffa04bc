import { lstatSync } from "node:fs";
import { basename, join } from "node:path";
import { foldersBetween } from "../tools/folders.ts";
import { projectSettings } from "./hook-settings.ts";
import { agentFolders } from "./subagents.ts";
import { instructionFiles } from "./instructions.ts";
import { ruleFolders } from "./rules.ts";
import { promptFolders } from "./prompt-files/folders.ts";

/** Names what an untrusted project has that is not used. Only checks whether files exist. */
export function leftOut(root: string, cwd: string): string[] {
  const instructions = instructionFiles({ root, cwd })
    .filter(isThere)
    .map((file) => basename(file));
  const folders = foldersBetween(root, cwd);
  const inFolders = (names: readonly string[]): string[] =>
    folders.flatMap((folder) => names.filter((name) => isThere(join(folder, name))));
  const settings = inFolders(projectSettings).map((name) => `${name} (hooks)`);
  const prompts = inFolders([...promptFolders.command, ...promptFolders.skill]);
  const rules = inFolders(ruleFolders);
  const agents = agentFolders.filter((name) => isThere(join(root, name)));
  const servers = inFolders([".mcp.json"]);
  const git = isThere(join(root, ".git")) ? ["git status"] : [];
  return [
    ...new Set([...instructions, ...rules, ...settings, ...agents, ...prompts, ...servers]),
    ...git,
  ];
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
