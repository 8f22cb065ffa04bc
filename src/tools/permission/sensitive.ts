/** Files that no general permission covers: each access is judged by itself. */

import { basename, join, sep } from "node:path";
import { holds, wayBelow } from "../workspace.ts";
import { hasEffect } from "./effects.ts";
import { isGitConfig, isSecretName, secretFolders } from "./secrets.ts";

/** "secret": reading it gives something away. "effect": writing it makes something run later. */
type Sensitivity = "secret" | "effect";

export type HomeFolders = { home: string; own: string; results: string };

/** By the path alone; null: an ordinary file. */
export function sensitivityOf(path: string, folders: HomeFolders): Sensitivity | null {
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
 * `isSecret` for who asks for one file of a folder after another, by absolute paths without "..": what
 * the folder decides is asked once.
 */
export function secretFinder(folders: HomeFolders): (path: string) => boolean {
  const special = [folders.results.toLowerCase(), ...foldersOfSecrets(folders)];
  const tops = special.map((folder) => join(folder, sep));
  const isOrdinary = (folder: string): boolean =>
    !tops.some((top) => top.startsWith(folder) || folder.startsWith(top));
  let last = { folder: "", isOrdinary: false };
  return (path) => {
    const from = path.lastIndexOf(sep) + 1;
    if (from !== last.folder.length || !path.startsWith(last.folder)) {
      const folder = path.slice(0, from);
      last = { folder, isOrdinary: isOrdinary(folder.toLowerCase()) };
    }
    if (!last.isOrdinary) return isSecret(path, folders);
    const name = path.slice(from).toLowerCase();
    return isSecretName(name) || (name.startsWith("config") && isGitConfig(path.toLowerCase()));
  };
}

const foldersOfSecrets = ({ own, home }: HomeFolders): string[] => [
  own.toLowerCase(),
  ...secretFolders.map((folder) => join(home.toLowerCase(), folder)),
];

/** Whether writing it could make something run later. */
export function changesEffects(path: string, folders: HomeFolders): boolean {
  const lower = path.toLowerCase();
  if (hasEffect(lower)) return true;
  return wayBelow(folders.home.toLowerCase(), lower)?.startsWith(".") === true;
}
