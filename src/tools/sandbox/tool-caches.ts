/**
 * Folders of the home that build tools need. The rest of the home is hidden. What is written here
 * is only ever downloaded or compiled: programs and settings of tools cannot be changed.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { secretFolders } from "../permission/secrets.ts";
import { holds } from "../workspace.ts";

const writableCaches: readonly string[] = [
  ".bun/install/cache",
  ".cache",
  ".cargo/git",
  ".cargo/registry",
  ".composer/cache",
  ".deno",
  ".gradle/caches",
  ".gradle/daemon",
  ".ivy2/cache",
  ".local/share/pnpm/store",
  ".m2/repository",
  ".npm",
  ".nuget/packages",
  ".pnpm-store",
  ".stack",
  ".yarn/berry",
  "Library/Caches",
  "go/pkg",
];

const readableTools: readonly string[] = [
  ".asdf",
  ".cache/node",
  ".cache/pre-commit",
  ".bun/bin",
  ".cabal",
  ".cargo/bin",
  ".config/git",
  ".conda",
  ".dotnet",
  ".elan",
  ".fnm",
  ".ghcup",
  ".gitconfig",
  ".gitignore",
  ".juliaup",
  ".local/bin",
  ".local/lib",
  ".local/share/mise",
  ".local/share/pnpm",
  ".local/share/uv",
  ".mise",
  ".npm/_npx",
  ".nvm",
  ".opam",
  ".poetry",
  ".pyenv",
  ".rbenv",
  ".rustup",
  ".rvm",
  ".sdkman",
  ".volta",
  "anaconda3",
  "go/bin",
  "miniconda3",
];

/** Files in those folders that may hold a password. */
const hiddenInCaches: readonly string[] = [
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".composer/auth.json",
  ".gem/credentials",
  ".m2/settings.xml",
  ".npm/_logs",
];

/** The parts of the home that an approved command gets; `programs`: folders that may be read. */
export function partsOfHome(home: string, programs: readonly string[]) {
  const inHome = (name: string): string => join(home, name);
  const readable = new Set([...readableTools.map(inHome), ...programs]);
  const all = new Set([...writableCaches.map(inHome), ...readable]);
  const shown = [...all].filter((path) => existsSync(path)).toSorted();
  const secrets = [...hiddenInCaches, ...secretFolders].map(inHome);
  return {
    /** Sorted: a folder comes before what lies in it. */
    shown: shown.map((path) => ({ path, isWritable: !readable.has(path) })),
    /** What stays hidden in them. */
    secrets: secrets.filter((secret) => shown.some((path) => holds(path, secret))),
  };
}
