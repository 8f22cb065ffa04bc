/** Files that a rule for a whole folder never covers. */

import { basename, dirname, join } from "node:path";
import { holds } from "../workspace.ts";

/** "secret": reading it gives something away. "effect": writing it makes something run later. */
export type Sensitivity = "secret" | "effect";

export type HomeFolders = { home: string; own: string; results: string };

const secretNames =
  /^(\.env(\..+)?|\.envrc|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|.*\.(pem|key|p12|pfx|keystore))$/;

const harmlessEnv = /^\.env\.(example|sample|template|dist)$/;

const effectNames =
  /^\.(bash_?(rc|profile|login|logout|aliases)|profile|zshrc|zprofile|zshenv|zlogin|kshrc|cshrc|tcshrc|gitconfig|gitmodules|inputrc|xprofile|xinitrc|vimrc)$/;

const secretFolders = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".config/gh",
  ".config/gcloud",
  ".password-store",
];

/**
 * Judges by name, in small letters: some file systems do not tell case apart. Null: an ordinary
 * file.
 */
export function sensitivityOf(path: string, folders: HomeFolders): Sensitivity | null {
  const lower = path.toLowerCase();
  const name = basename(lower);
  const inHome = (folder: string) => holds(join(folders.home, folder).toLowerCase(), lower);
  if (holds(folders.results.toLowerCase(), lower)) return null;
  if (holds(folders.own.toLowerCase(), lower)) return "secret";
  if (secretNames.test(name) && !harmlessEnv.test(name)) return "secret";
  if (secretFolders.some(inHome)) return "secret";
  if (effectNames.test(name) || inHome(".config/fish")) return "effect";
  return lower.split("/").includes(".git") || inGitFolder(lower) ? "effect" : null;
}

/** A bare repository has its hooks beside its config. */
const inGitFolder = (path: string): boolean =>
  basename(dirname(path)) === "hooks" && dirname(dirname(path)).endsWith(".git");
