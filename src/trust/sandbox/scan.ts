/** Finds workspace files that the sandbox hides or makes read-only. */

import { lstatSync, readFileSync, realpathSync, type Stats } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { attempt } from "../../base/guards.ts";
import type { HiddenFilter } from "../files/sensitive.ts";
import { runsLater, type HomeFolders } from "../files/sensitive.ts";
import { holds } from "../../tools/workspace.ts";
import { isLinked } from "./tool-caches.ts";

const foldersAtOnce = 256;

/** Created by installers: holds no user secrets and runs only by name. */
const installedFolder = "node_modules";

/** The scan's target: files that must not be read, and where the home is. */
export type ScanTarget = { hiddenFilter: HiddenFilter; folders: HomeFolders; maxEntries?: number };

/** fixed: read-only, scanned for symlinks only. git: contains repository data. packages: `node_modules`. */
type FolderKind = "plain" | "fixed" | "git" | "packages";

/**
 * secret: may hold a secret. effect: executed later by other programs. link, effect-link: symlinks of these kinds,
 * judged by target. repository: a `.git` folder. config: git configuration. packages: hard links into a cache.
 */
type Finding =
  "secret" | "effect" | "link" | "effect-link" | "repository" | "config" | "socket" | "packages";

type ScannedFolder = { path: string; kind: FolderKind; content: Content | null };

/** Findings of a folder, with a stamp to detect changes. */
type Content = {
  /** Null: changed so recently that the next change could have the same time. */
  stat: Stats | null;
  entries: number;
  found: readonly (readonly [Finding, path: string])[];
  inner: readonly ScannedFolder[];
};

/** Runs before every command; rereads a folder only if its entries changed. */
export function makeScanner(
  paths: readonly string[],
  repositories: readonly string[],
  wanted: ScanTarget,
) {
  const roots: ScannedFolder[] = [
    ...paths.map((path) => ({ path, kind: "plain", content: null }) as const),
    ...repositories.map((path) => ({ path, kind: "git", content: null }) as const),
  ];

  /** `stat` is from before. */
  async function read(folder: ScannedFolder, stat: Stats | null): Promise<Content> {
    const { inner, ...content } = await readFolder(folder, wanted);
    const known = new Map(folder.content?.inner.map((below) => [below.path, below]));
    folder.content = {
      ...content,
      stat: stat && isYoung(stat) ? null : stat,
      inner: inner.map((below) => known.get(below.path) ?? { ...below, content: null }),
    };
    return folder.content;
  }

  return async function scan() {
    const found: Content["found"][number][] = repositories.map((path) => ["repository", path]);
    let left = wanted.maxEntries ?? 200_000;
    let open = [...roots];
    const keep = (content: Content): void => {
      left -= content.entries;
      open.push(...content.inner);
      found.push(...content.found);
    };
    while (open.length > 0 && left > 0) {
      const next = open.slice(0, foldersAtOnce);
      open = open.slice(foldersAtOnce);
      const reads: Promise<void>[] = [];
      for (const folder of next) {
        const stat = readStat(folder.path);
        if (folder.content && isSame(folder.content.stat, stat)) keep(folder.content);
        else reads.push(read(folder, stat).then(keep));
      }
      if (reads.length > 0) await Promise.all(reads);
    }
    const all = (wanted: Finding): string[] =>
      found.flatMap(([kind, path]) => (kind === wanted ? [path] : []));
    const targets = async (kind: Finding): Promise<string[]> => {
      const linked = await Promise.all(all(kind).map(readTarget));
      return linked.filter((path) => paths.some((root) => holds(root, path)));
    };
    const [secret, run] = await Promise.all([targets("link"), targets("effect-link")]);
    return {
      secrets: [...all("secret"), ...secret],
      effects: [...all("effect"), ...run.filter(isFile)],
      repositories: all("repository"),
      configs: all("config"),
      sockets: all("socket"),
      packages: all("packages"),
      /** False when there were too many files to check them all. */
      complete: open.length === 0,
    };
  };
}

async function readFolder(
  { path: folder, kind }: ScannedFolder,
  { hiddenFilter, folders }: ScanTarget,
) {
  if (kind === "packages") {
    const found: [Finding, path: string][] = isLinked(folder) ? [["packages", folder]] : [];
    return { entries: 1, found, inner: [] };
  }
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: [Finding, path: string][] = [];
  const inner: Pick<ScannedFolder, "path" | "kind">[] = [];
  const isHidden = hiddenFilter(join(folder, sep));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const [isFolder, isLink] = [entry.isDirectory(), entry.isSymbolicLink()];
    if (kind === "git") {
      if (runByGit.test(entry.name)) found.push(["effect", path]);
      if (/^config(?:\.worktree)?$/.test(entry.name)) found.push(["config", path]);
      if (isFolder && !ownData.test(entry.name)) inner.push({ path, kind });
    } else if (entry.name === ".git") {
      // A `.git` file points to the repository, and so decides what git runs.
      found.push([isFolder ? "repository" : "effect", path]);
      if (isFolder) inner.push({ path, kind: "git" });
    } else if (entry.name === installedFolder) {
      if (isFolder) inner.push({ path, kind: "packages" });
    } else {
      if (entry.isSocket()) found.push(["socket", path]);
      if (kind === "fixed") {
        if (isLink) found.push(["effect-link", path]);
        continue;
      }
      const isSecret = isHidden(entry.name);
      if (isSecret) found.push([isLink ? "link" : "secret", path]);
      const isEffect = runsLater(path, folders);
      // A symlink cannot be a mount target.
      if (isEffect) found.push([isLink ? "effect-link" : "effect", path]);
      if (isFolder && (isEffect || !isSecret))
        inner.push({ path, kind: isEffect ? "fixed" : "plain" });
    }
  }
  return { entries: entries.length, found, inner };
}

/** Longer than the timestamp resolution of any file system. */
const youngMs = 3_000;

const isYoung = ({ ctimeMs, mtimeMs }: Stats): boolean =>
  Math.max(ctimeMs, mtimeMs) > Date.now() - youngMs;

/** A program cannot set the status change time. */
const isSame = (before: Stats | null, now: Stats | null): boolean =>
  before !== null &&
  now !== null &&
  before.ctimeMs === now.ctimeMs &&
  before.mtimeMs === now.mtimeMs &&
  before.ino === now.ino &&
  before.dev === now.dev;

/** Null: no longer exists. */
const readStat = (folder: string): Stats | null => attempt(() => lstatSync(folder), null);

/** Everything else in a repository is written by git itself. */
const runByGit = /^(?:hooks|info|config|config\.worktree|commondir|gitdir)$/;

/** Folders without settings. */
const ownData = /^(?:objects|refs|logs|lfs|hooks|info|rr-cache|sparse-checkout.*)$/;

/** A folder is shown by a file, unless it is the workspace itself. */
const isFile = (path: string): boolean => attempt(() => lstatSync(path).isFile(), false);

/** Empty for a dangling symlink. */
const readTarget = (link: string): Promise<string> => realpath(link).catch(() => "");

/**
 * Unix sockets of programs outside the sandbox, which network namespaces do not separate. `inRoots`: sockets in the
 * opened folders, which may be bound by relative names.
 */
export function foreignSockets(inRoots: readonly string[]): string[] {
  const table = attempt(() => readFileSync("/proc/net/unix", "utf8"), null);
  if (table === null) return [...inRoots];
  // Servers in the sandbox are in the table of another network.
  const names = table
    .split("\n")
    .flatMap((line) => /^(?:\S+ +){6}\S+ ([^@].*)$/.exec(line)?.[1] ?? []);
  const ends = new Set(names.map((name) => basename(name)));
  const found = names.flatMap((name) => (name.startsWith("/") ? socketAt(name) : []));
  return [...new Set([...found, ...inRoots.filter((path) => ends.has(basename(path)))])];
}

const socketAt = (path: string): string[] =>
  attempt(() => (lstatSync(path).isSocket() ? [realpathSync(path)] : []), []);
