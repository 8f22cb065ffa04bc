/** Files that no general permission covers: each access is judged separately. */

import { existsSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { holds, wayBelow, type Workspace } from "../../tools/workspace.ts";
import { readTool } from "../rules/rule.ts";
import type { Rules } from "../rules/rules.ts";
import { hasEffect, isUnread } from "./effects.ts";
import { isGitConfig, isSecretName, secretFolders } from "./secrets.ts";

/** "secret": reading it gives something away. "effect": writing it makes something run later. */
type Sensitivity = "secret" | "effect";

export type HomeFolders = {
  home: string;
  own: string;
  results: string;
  /** Opened folders: names above them say nothing about what is in them. */
  roots?: readonly string[];
  /** Files and folders that hooks and servers run, by their path in lower case; more may be added. */
  scripts?: Map<string, string>;
};

/** By the path alone; null: an ordinary file. */
export function findSensitivity(path: string, folders: HomeFolders): Sensitivity | null {
  if (isSecret(path, folders)) return "secret";
  if (holds(folders.results.toLowerCase(), path.toLowerCase())) return null;
  return changesEffects(path, folders) ? "effect" : null;
}

/** Whether reading it could give something away. */
export function isSecret(path: string, folders: HomeFolders): boolean {
  const lower = path.toLowerCase();
  if (holds(folders.results.toLowerCase(), lower)) return false;
  if (isSecretName(basename(lower)) || isGitConfig(lower)) return true;
  return foldersOfSecrets(folders).some((folder) => holds(folder, lower));
}

/**
 * `isSecret` for the names in a folder, one after another: what the folder decides is asked once. Its
 * path is absolute, without "..", and ends with a separator.
 */
function listSecrets(folders: HomeFolders): (folder: string) => (name: string) => boolean {
  const special = [folders.results.toLowerCase(), ...foldersOfSecrets(folders)];
  const tops = special.map((folder) => join(folder, sep));
  return (folder) => {
    const lower = folder.toLowerCase();
    if (tops.some((top) => top.startsWith(lower) || lower.startsWith(top)))
      return (name) => isSecret(folder + name, folders);
    return (name) => {
      const small = name.toLowerCase();
      return isSecretName(small) || (small.startsWith("config") && isGitConfig(lower + small));
    };
  };
}

/** Each word of a line, and each file of a walk, is compared with them. */
const listed = new WeakMap<HomeFolders, string[]>();

function foldersOfSecrets(homes: HomeFolders): string[] {
  const { own, home } = homes;
  const folders = listed.get(homes) ?? [
    own.toLowerCase(),
    ...secretFolders.map((folder) => join(home, folder).toLowerCase()),
  ];
  listed.set(homes, folders);
  return folders;
}

/** Whether a folder that is opened holds the home, or keys of the user, or lies among those. */
export const holdsKeys = (root: string, folders: HomeFolders): boolean =>
  holds(root, folders.home) ||
  foldersOfSecrets(folders).some((folder) => holds(folder, root.toLowerCase())) ||
  listKeyFolders(root, folders.home).length > 0;

/** Folders with keys of the user below a folder. */
export const listKeyFolders = (root: string, home: string): string[] =>
  secretFolders
    .map((folder) => join(home, folder))
    .filter((folder) => folder !== root && holds(root, folder) && existsSync(folder));

/** Whether writing it could make something run later, installed code included. */
export const changesEffects = (path: string, folders: HomeFolders): boolean =>
  runsLater(path, folders) || isUnread(relativeWay(path, folders));

/** Whether other programs run it or read settings from it by themselves. */
export function runsLater(path: string, folders: HomeFolders): boolean {
  const lower = path.toLowerCase();
  if (hasEffect(relativeWay(path, folders))) return true;
  if (folders.scripts && isCovered(folders.scripts, lower)) return true;
  return wayBelow(folders.home.toLowerCase(), lower)?.startsWith(".") === true;
}

/** Whether `scripts` holds the path or one of its parents. */
function isCovered(scripts: ReadonlyMap<string, string>, path: string): boolean {
  if (scripts.size === 0) return false;
  let at = path;
  while (!scripts.has(at)) {
    const above = dirname(at);
    if (above === at) return false;
    at = above;
  }
  return true;
}

/** Prefix of a worktree, dropped so that its files are judged by their path in the repository. */
const worktree = /^.*?\.(?:mini-)?claude\/worktrees\/[^/]+\//;

function relativeWay(path: string, { home, roots = [] }: HomeFolders): string {
  const lower = path.toLowerCase();
  const ways = [...roots, home].flatMap((root) => wayBelow(root.toLowerCase(), lower) ?? []);
  const [way = lower] = ways.toSorted((a, b) => a.length - b.length);
  return way.replace(worktree, "");
}

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
  const isForeignResult = (path: string): boolean =>
    path.startsWith(results) && workspace.areaOf(path) === "outside";
  return (folder) => {
    const isSecret = secrets(folder);
    const isRefused = rules.refusedPaths(readTool);
    const mayHoldResults = folder.startsWith(results) || results.startsWith(folder);
    return (name) =>
      isSecret(name) ||
      isRefused?.(folder + name) === true ||
      (mayHoldResults && isForeignResult(folder + name));
  };
}
