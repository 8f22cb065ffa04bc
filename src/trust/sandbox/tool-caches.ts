/**
 * Parts of the home that confined commands see: programs and their settings, read-only. Caches belong to the project,
 * because programs outside the sandbox run code from the real ones.
 */

import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { secretFolders } from "../files/secrets.ts";
import { holds } from "../../tools/workspace.ts";

/** Caches of compilers and of `bun install`; per project, empty at first. */
const compiled: readonly string[] = [
  ".bun/install/cache",
  ".cache",
  ".gradle/daemon",
  "Library/Caches",
];

/** Downloaded packages: read from the real folder until the project has its own. */
const downloaded: readonly string[] = [
  ".cargo/git",
  ".cargo/registry",
  ".composer/cache",
  ".deno",
  ".gradle/caches",
  ".ivy2/cache",
  ".local/share/pnpm/store",
  ".m2/repository",
  ".npm",
  ".nuget/packages",
  ".pnpm-store",
  ".stack",
  ".yarn/berry",
  "go/pkg",
];

const readable: readonly string[] = (
  ".asdf .cache/Cypress .cache/huggingface .cache/ms-playwright .cache/node .cache/pre-commit .cache/puppeteer .bun/bin " +
  ".cabal .cargo/bin .config/git .conda .deno/bin .dotnet .elan .fnm .ghcup .gitconfig .gitignore .juliaup .local/bin " +
  ".local/lib .local/share/mise .local/share/pnpm .local/share/uv .mise .nvm .opam .poetry .pyenv .rbenv .rustup .rvm " +
  ".sdkman .stack/programs .volta anaconda3 go/bin miniconda3"
).split(" ");

/** Files in those folders that may hold a password. */
const hiddenInCaches: readonly string[] = [
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".composer/auth.json",
  ".gem/credentials",
  ".m2/settings.xml",
  ".npm/_logs",
];

/** Whether a confined command sees this path of the home, or the project's substitute. */
export const isShownOfHome = (path: string, home: string): boolean =>
  [...compiled, ...downloaded, ...readable].some((name) => holds(join(home, name), path));

type HomeOptions = {
  home: string;
  /** Hidden folders that hold programs, which may be read. */
  programs: readonly string[];
  /** The folder of the project's own caches; null: real ones may be read only. */
  caches: string | null;
  /** The command may download packages. */
  downloads: boolean;
};

/** A part of the home, and the folder shown in its place. */
type ShownPath = { path: string; source: string; isWritable: boolean };

/** Sorted, parents first. `secrets`: files in these parts that stay hidden. */
export function partsOfHome({ home, programs, caches, downloads }: HomeOptions) {
  const inHome = (name: string): string => join(home, name);
  const shown = new Map<string, ShownPath>();
  const read = (path: string): unknown =>
    existsSync(path) && shown.set(path, { path, source: path, isWritable: false });
  const replace = (name: string): unknown =>
    caches !== null &&
    shown.set(inHome(name), {
      path: inHome(name),
      source: join(caches, name),
      isWritable: true,
    });
  for (const name of downloaded) {
    const isOwn = caches !== null && (downloads || !isEmpty(join(caches, name)));
    if (!existsSync(inHome(name))) continue;
    if (isOwn) replace(name);
    else read(inHome(name));
  }
  for (const name of compiled) if (existsSync(inHome(name)) || name === ".cache") replace(name);
  for (const path of [...readable.map(inHome), ...programs]) read(path);
  const parts = [...shown.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { source, isWritable } of parts)
    if (isWritable) mkdirSync(source, { recursive: true, mode: 0o700 });
  const secrets = [...hiddenInCaches, ...secretFolders].map(inHome);
  return {
    shown: parts,
    secrets: secrets.filter((secret) => parts.some(({ path }) => holds(path, secret))),
  };
}

const isEmpty = (folder: string): boolean => attempt(() => readdirSync(folder).length === 0, true);

/** Where build tools write in an installed folder. */
const workFolders = [".cache", ".vite", ".vite-temp"];

/**
 * Those of a `node_modules` that is otherwise read-only. They are made where a tool will need them: `isTop`, or beside
 * a configuration of Vite. Each is a mount, which takes time.
 */
export function openWorkFolders(modules: string, isTop: boolean): string[] {
  const open = workFolders.map((name) => join(modules, name));
  const beside = isTop ? [] : attempt(() => readdirSync(dirname(modules)), []);
  if (isTop || beside.some((name) => /^vite(?:st)?\.config\./.test(name)))
    for (const folder of open) attempt(() => mkdirSync(folder, { recursive: true }), undefined);
  return open.filter((folder) => existsSync(folder));
}

const maxSampled = 20;

/** Whether packages of a `node_modules` are hard links into a real cache, going by a few of them. */
export function isLinked(modules: string): boolean {
  const isLink = (file: string): boolean => attempt(() => statSync(file).nlink > 1, false);
  return packagesIn(modules)
    .take(maxSampled)
    .some((folder) => isLink(join(folder, "package.json")));
}

/** Folders of packages, also of pnpm's and Bun's stores. */
function* packagesIn(modules: string): Generator<string> {
  for (const path of foldersIn(modules)) {
    const name = basename(path);
    if (name === ".pnpm" || name === ".bun")
      for (const stored of foldersIn(path)) yield* packagesIn(join(stored, "node_modules"));
    else if (name.startsWith("@")) yield* foldersIn(path);
    else if (!name.startsWith(".")) yield path;
  }
}

const foldersIn = (folder: string): string[] =>
  attempt(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name));
