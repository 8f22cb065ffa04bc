/** Files that no general permission covers: each access is judged by itself. */

import { basename } from "node:path";
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

/** Whether reading it could give something away. Searches ask for every file. */
export function isSecret(path: string, folders: HomeFolders): boolean {
  const lower = path.toLowerCase();
  if (holds(folders.results.toLowerCase(), lower)) return false;
  if (isSecretName(basename(lower)) || isGitConfig(lower)) return true;
  if (holds(folders.own.toLowerCase(), lower)) return true;
  const inHome = wayBelow(folders.home.toLowerCase(), lower);
  return inHome !== null && secretFolders.some((folder) => `${inHome}/`.startsWith(`${folder}/`));
}

/** Whether writing it could make something run later. */
export function changesEffects(path: string, folders: HomeFolders): boolean {
  const lower = path.toLowerCase();
  if (hasEffect(lower)) return true;
  return wayBelow(folders.home.toLowerCase(), lower)?.startsWith(".") === true;
}
