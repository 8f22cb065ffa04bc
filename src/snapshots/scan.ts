/** Scans a workspace for changes since the last scan, and reads only changed files. */

import { existsSync, readFileSync, type Stats } from "node:fs";
import { attempt } from "../base/guards.ts";
import { basename, bytesOfPath } from "../base/path-bytes.ts";
import { yieldLoop } from "../base/long-work.ts";
import type { CheckpointFact } from "../protocol/entry.ts";
import { leftOut } from "./left-out.ts";
import {
  linkAt,
  listEntries,
  lock,
  permissionBits,
  readClosed,
  readStat,
  unlock,
  unreadable,
  type Unlocked,
} from "./raw-files.ts";
import { contentId } from "../log/checkpoints.ts";
import type { FolderRecord, Seen, Stamp } from "./records.ts";

export type Change = CheckpointFact["files"][number];

/** A larger file is not in a snapshot, in bytes. */
export const maxKeptBytes = 16 * 1024 ** 2;

/** With more entries, or more bytes in all, there is no snapshot. */
const usualEntries = 200_000;
const maxTotalBytes = 4 * 1024 ** 3;

/** Why changes cannot be undone, in a sentence. */
export class NoUndo extends Error {}

/** Git's own data, excluded from snapshots. Configuration and hooks are included, like any other file. */
const dataOfGit =
  /^(?:objects|refs|logs|modules|worktrees|branches|lfs|index|shallow|description|packed-refs|gitk\.cache|gc\.(?:log|pid)|[A-Z_]+_?HEAD|HEAD|COMMIT_EDITMSG|[A-Z]+_(?:MSG|MODE|RR|STAMP|LOG|EDITMSG)|AUTO_MERGE|rebase-(?:merge|apply)|sequencer|rr-cache|.*\.lock)$/;

type ScanOptions = {
  roots: readonly string[];
  /** Never scanned. */
  skipped: readonly string[];
  maxEntries?: number | undefined;
};

/** Differences since the last scan. `latest`: the status change time of each changed path. */
export type ScanResult = {
  changes: Change[];
  latest: Map<string, number>;
  changed: Set<FolderRecord>;
  gone: Set<string>;
};

/** Folders of the last scan, by root. Inconsistent after a failed scan. */
export type Tree = Map<string, FolderRecord>;

/** Rebuilds the tree from saved rows. */
export function treeOf(rows: ReadonlyMap<string, FolderRecord>, roots: readonly string[]): Tree {
  for (const [path, row] of rows) {
    const at = path.lastIndexOf("/");
    rows.get(path.slice(0, at) || "/")?.folders.set(path.slice(at + 1), row);
  }
  return new Map(roots.flatMap((root) => rows.get(root) ?? []).map((row) => [row.path, row]));
}

/** Every folder and file of a tree. */
export function* entriesOf(tree: Tree): Generator<{ path: string; kept: string }> {
  const open = [...tree.values()];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    yield at;
    for (const [path, { kept }] of at.files) yield { path, kept };
    open.push(...at.folders.values());
  }
}

/** `save` receives each new content. Throws its errors, and `NoUndo`. */
export async function scan(
  tree: Tree,
  { roots, skipped, maxEntries = usualEntries }: ScanOptions,
  save: (bytes: Uint8Array) => Promise<void>,
): Promise<ScanResult> {
  const was = new Map<string, Seen>();
  const is = new Map<string, Seen>();
  const result: ScanResult = {
    changes: [],
    latest: new Map(),
    changed: new Set(),
    gone: new Set(),
  };
  const closed: Unlocked[] = [];
  const pause = yieldLoop();
  const above = new Map<FolderRecord, FolderRecord>();
  let [entries, bytes] = [0, 0];

  const note = (path: string, before: Seen | null, after: Seen | null, stat?: Stats): void => {
    if (before) was.set(path, before);
    if (after) is.set(path, after);
    if (stat) result.latest.set(path, stat.ctimeMs);
  };

  function forget(folder: FolderRecord): void {
    for (const [path, file] of folder.files) note(path, file, null);
    for (const inner of folder.folders.values()) forget(inner);
    if (folder.kept !== nothing) note(folder.path, folder, null);
    result.gone.add(folder.path);
  }

  /** Records the state of a folder; null: unreadable. */
  function record(folder: FolderRecord, stat: Stats | null): void {
    const kept =
      stat === null
        ? unreadable
        : folder.kind !== "in"
          ? `out:${stat.ino}-${Math.trunc(stat.birthtimeMs)}`
          : "folder";
    const mode = stat === null ? folder.mode : permissionBits(stat);
    if (folder.kept === kept && folder.mode === mode) return;
    note(
      folder.path,
      folder.kept === nothing ? null : { kept: folder.kept, mode: folder.mode },
      { kept, mode },
      stat ?? undefined,
    );
    folder.kept = kept;
    folder.mode = mode;
    result.changed.add(folder);
  }

  function list(folder: FolderRecord, stat: Stats): string[] | null {
    if (isSame(folder.stamp, stat)) return [...folder.files.keys()];
    const found = listEntries(folder.path);
    if (found === null) return null;
    const shown = (names: string[]) =>
      folder.kind === "git" ? names.filter((name) => !dataOfGit.test(name)) : names;
    const inner = new Set(
      shown(found.folders).filter((name) => !skipped.includes(`${folder.path}/${name}`)),
    );
    for (const [name, record] of folder.folders) {
      if (inner.has(name)) continue;
      forget(record);
      folder.folders.delete(name);
    }
    for (const name of inner)
      if (!folder.folders.has(name)) folder.folders.set(name, newFolder(`${folder.path}/${name}`));
    const files = new Set(shown(found.files).map((name) => `${folder.path}/${name}`));
    for (const [path, file] of folder.files) {
      if (files.has(path)) continue;
      note(path, file, null);
      folder.files.delete(path);
    }
    folder.stamp = stampOf(stat);
    result.changed.add(folder);
    return [...files];
  }

  /** The file's new content; null: unchanged or not kept. */
  function lookAtFile(folder: FolderRecord, path: string): Uint8Array | null {
    const known = folder.files.get(path);
    const stat = readStat(path);
    if (stat === null) {
      if (known) note(path, known, null);
      if (folder.files.delete(path)) result.changed.add(folder);
      return null;
    }
    if (stat !== unreadable) bytes += stat.size > maxKeptBytes ? 0 : stat.size;
    if (known && stat !== unreadable && isSame(known.stamp, stat)) return null;
    const {
      kept,
      mode,
      bytes: content = null,
    } = stat === unreadable ? { kept: unreadable, mode: 0 } : identify(path, stat);
    folder.files.set(path, { kept, mode, stamp: stat === unreadable ? null : stampOf(stat) });
    result.changed.add(folder);
    if (known?.kept !== kept || known.mode !== mode)
      note(path, known ?? null, { kept, mode }, stat === unreadable ? undefined : stat);
    return known?.kept !== kept ? content : null;
  }

  /** False: the folder no longer exists. */
  async function visit(folder: FolderRecord, open: FolderRecord[]): Promise<boolean> {
    const stat = readStat(folder.path);
    if (stat === null || (stat !== unreadable && !stat.isDirectory())) return false;
    if (!unlock(folder.path, stat, closed)) return (record(folder, null), true);
    record(folder, stat);
    if (folder.kind === "out") return true;
    const paths = list(folder, stat);
    if (paths === null) return (record(folder, null), true);
    entries += paths.length + folder.folders.size;
    if (entries > maxEntries || bytes > maxTotalBytes)
      throw new NoUndo("The folder holds too many files to undo what commands change.");
    for (const path of paths) {
      const content = lookAtFile(folder, path);
      if (content !== null) await save(content);
    }
    for (const inner of folder.folders.values()) {
      above.set(inner, folder);
      open.push(inner);
    }
    return true;
  }

  try {
    for (const root of roots) {
      const isOut = leftOut(root);
      const top = tree.get(root) ?? newFolder(root);
      tree.set(root, top);
      const open = [top];
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (at.kept === nothing) {
          const isInGit = above.get(at)?.kind === "git";
          if (holdsGit(at.path)) at.kind = "git";
          else if (at !== top && !isInGit && (await isOut(at.path))) at.kind = "out";
        }
        if (!(await visit(at, open))) {
          forget(at);
          above.get(at)?.folders.delete(basename(at.path));
          if (at === top) tree.delete(root);
        }
        await pause();
      }
    }
  } finally {
    for (const unlocked of closed.toReversed()) lock(unlocked);
  }
  result.changes = listChanges(was, is);
  return result;
}

/** Whether a folder contains repository data, regardless of its name. */
const holdsGit = (folder: string): boolean =>
  folder.endsWith("/.git") ||
  ["HEAD", "objects", "refs"].every((name) => existsSync(bytesOfPath(`${folder}/${name}`)));

const nothing = "";

const newFolder = (path: string): FolderRecord => ({
  path,
  kept: nothing,
  mode: 0,
  stamp: null,
  kind: "in",
  files: new Map(),
  folders: new Map(),
});

function identify(path: string, stat: Stats): Seen & { bytes?: Uint8Array } {
  const mode = permissionBits(stat);
  if (stat.isSymbolicLink())
    return { kept: attempt(() => `link:${linkAt(path)}`, unreadable), mode: 0o777 };
  if (!stat.isFile()) return { kept: "other", mode };
  if (stat.size > maxKeptBytes)
    return { kept: `large:${stat.ino}-${stat.size}-${stat.mtimeMs}`, mode };
  const bytes =
    attempt(() => readFileSync(bytesOfPath(path)), null) ?? readClosed(path, stat) ?? null;
  return bytes === null ? { kept: unreadable, mode } : { kept: contentId(bytes), mode, bytes };
}

/** Known to exist, without its content. */
export const isNotKept = (kept: string | null): boolean =>
  kept !== null && /^(?:out:|large:|other$|unseen$)/.test(kept);

function listChanges(was: ReadonlyMap<string, Seen>, is: ReadonlyMap<string, Seen>): Change[] {
  const paths = [...new Set([...was.keys(), ...is.keys()])].sort();
  return paths.flatMap((path) => {
    const [before, after] = [was.get(path), is.get(path)];
    if (before?.kept === after?.kept && before?.mode === after?.mode) return [];
    return {
      path,
      before: before?.kept ?? null,
      after: after?.kept ?? null,
      ...(before && { mode: before.mode }),
      ...(after && { modeAfter: after.mode }),
    };
  });
}

/** Timestamp resolution of file systems, in milliseconds; some only have seconds. */
const granuleMs = 100;
const coarseMs = 3_000;

/** Null: too recent, the next change could have the same stamp. */
function stampOf({ size, ino, mtimeMs, ctimeMs }: Stats): Stamp | null {
  const isYoung = ctimeMs > Date.now() - (ctimeMs % 1000 === 0 ? coarseMs : granuleMs);
  return isYoung ? null : [size, ino, mtimeMs, ctimeMs];
}

const isSame = (stamp: Stamp | null, { size, ino, mtimeMs, ctimeMs }: Stats): boolean =>
  stamp !== null &&
  stamp[0] === size &&
  stamp[1] === ino &&
  stamp[2] === mtimeMs &&
  stamp[3] === ctimeMs;
