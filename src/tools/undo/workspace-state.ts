/**
 * The state of the workspace before a command, so that what the command changed can be undone. All files
 * are looked at; only those that changed since the last look are read.
 */

import { readFileSync, realpathSync, type Stats } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../base/guards.ts";
import { bytesOfPath, dirname } from "../../base/path-bytes.ts";
import type { CheckpointFact } from "../../protocol/entry.ts";
import { folderName, gitObject, isPack, maxKeptBytes, sameName } from "../../protocol/kept.ts";
import { holds } from "../workspace.ts";
import { openContents, type StatStamp } from "./content-store.ts";
import { isLarger, isMadeByTools, leavable } from "./left-out.ts";
import {
  listEntries,
  linkAt,
  lock,
  permissionBits,
  readClosed,
  readStat,
  unlock,
  unseen,
  type Unlocked,
} from "./look-at.ts";

export type StateChange = CheckpointFact["files"][number];

export type StateOptions = {
  roots: readonly string[];
  /** Never looked at. */
  skipped: readonly string[];
  /** Our own folder, in which contents are kept. */
  own: string;
  now(): number;
  /** A folder that may be left out is, if it holds more than this. */
  maxIgnoredBytes: number;
  /** Whether it is looked at in a folder that is left out, too. */
  isWatched(path: string): boolean;
  /** With more entries than this, nothing is kept. */
  maxEntries?: number;
};

/** `kept`: as in a checkpoint. `mode`: the bits of permission. */
type Seen = { kept: string; mode: number };

type FileRecord = StatStamp & Seen & { isYoung: boolean };

type FolderRecord = Seen & {
  path: string;
  stamp: StatStamp;
  isYoung: boolean;
  /** Its size decides, once the command has ended that made it. */
  mayBeOut: boolean;
  /** "top": left out; "inner": in such a folder. Of both, only what is watched is recorded. */
  out: "no" | "top" | "inner";
  /** By path, which is not put together again for every look. */
  files: Map<string, FileRecord | null>;
  folders: Map<string, FolderRecord>;
};

const defaultMaxEntries = 200_000;

/** After a command, folders beyond this many times as much are not opened. */
const excess = 5;

/** More files and folders that cannot be restored than this cannot be protected, either. */
const maxUnkept = 500;

/** Longer than any file system takes to tell two changes apart, in milliseconds. */
const youngMs = 3_000;

const gitLfs = /(?:^|\/)\.git\/(?:.*\/)?lfs$/;

export type WorkspaceState = ReturnType<typeof openState>;

export function openState(options: StateOptions) {
  const { roots, skipped, now, isWatched, maxEntries = defaultMaxEntries } = options;
  const name = Bun.CryptoHasher.hash("sha256", JSON.stringify(roots), "hex").slice(0, 16);
  const store = openContents(join(options.own, "states", `${name}.sqlite`), now());
  const remembered = new Map(store.known().map((file) => [file.path, file]));
  const tops = new Map<string, FolderRecord>();
  const unkept = new Set<string>();
  /** Watched symlinks. */
  const links = new Set<string>();
  /** Watched paths that were made, or made again, since the last `keep`. */
  const made = new Set<string>();
  /** Folders that were left out, wherever they are now. */
  const trees = new Set<string>();
  let isComplete = false;
  let looking: Promise<unknown> = Promise.resolve();

  /** One after the other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = looking.then(work, work);
    looking = next;
    return next;
  }

  /** Reads what is new. `diff`: gets every change; null: there are none yet. */
  async function look(diff: Diff | null): Promise<boolean> {
    let left = maxEntries;
    const closed: Unlocked[] = [];
    const open = roots.map((root) => tops.get(root) ?? newFolder(root, "no"));
    for (const root of open) tops.set(root.path, root);
    // A pause now and then keeps the screen alive.
    let sinceMs = performance.now();
    try {
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        const stat = readStat(at.path);
        if (stat === null || (stat !== unseen && !stat.isDirectory())) {
          removed(at, diff);
          tops.delete(at.path);
          continue;
        }
        if (left < -excess * maxEntries || !unlock(at.path, stat, closed)) {
          record(at, null, diff);
          continue;
        }
        record(at, stat, diff);
        if (at.out !== "no" && !isWatched(join(at.path, ".envrc"))) continue;
        if (!(await list(at, stat, diff))) {
          record(at, null, diff);
          continue;
        }
        left -= at.files.size + at.folders.size;
        if (left < 0 && diff === null) return false;
        for (const [path, known] of at.files) lookAtFile(at, path, known, left < 0, diff);
        open.push(...at.folders.values());
        if (performance.now() - sinceMs < sliceMs) continue;
        store.commit();
        await Bun.sleep(0);
        sinceMs = performance.now();
      }
    } finally {
      for (const unlocked of closed.toReversed()) lock(unlocked);
      store.commit();
    }
    return left >= 0;
  }

  /** How a folder is now; `stat` null: it cannot be looked at. */
  function record(folder: FolderRecord, stat: Stats | null, diff: Diff | null): void {
    if (stat && folder.mayBeOut && (diff === null || !isWatched(join(folder.path, ".envrc")))) {
      folder.mayBeOut = false;
      if (isLarger(folder.path, options.maxIgnoredBytes)) leaveOut(folder);
    }
    if (stat && folder.kept === nothing && folder.out === "no" && trees.has(folderName(stat)))
      leaveOut(folder);
    const kept = stat === null ? "unseen" : folder.out === "top" ? folderName(stat) : "folder";
    const mode = stat === null ? folder.mode : permissionBits(stat);
    if (folder.out === "top") {
      unkept.add(folder.path);
      trees.add(kept);
    }
    if (folder.kept === kept && folder.mode === mode) return;
    if (folder.out !== "inner" || kept === "unseen") {
      if (folder.kept !== nothing) diff?.was.set(folder.path, { ...folder });
      diff?.is.set(folder.path, { kept, mode });
    }
    if (diff !== null && folder.kept === nothing && isWatched(folder.path)) made.add(folder.path);
    folder.kept = kept;
    folder.mode = mode;
  }

  function leaveOut(folder: FolderRecord): void {
    Object.assign(folder, newFolder(folder.path, "top"));
  }

  /** Which files and folders there are; read again only when that changed. False: it cannot be. */
  async function list(folder: FolderRecord, stat: Stats, diff: Diff | null): Promise<boolean> {
    if (!folder.isYoung && isSame(folder.stamp, stat)) return true;
    const entries = listEntries(folder.path);
    if (entries === null) return false;
    const inner = new Set(entries.folders);
    const fresh = entries.folders.filter((name) => !folder.folders.has(name));
    const mayLeave = fresh.length === 0 ? none : await leavable(folder.path, fresh, roots);
    for (const [name, inside] of folder.folders) {
      if (inner.has(name)) continue;
      removed(inside, diff);
      folder.folders.delete(name);
    }
    for (const name of fresh) {
      const path = childPath(folder, name);
      if (skipped.includes(path)) continue;
      const out = folder.out === "no" ? (gitLfs.test(path) ? "top" : "no") : "inner";
      folder.folders.set(name, {
        ...newFolder(path, out),
        mayBeOut: mayLeave.has(name) && out === "no",
      });
    }
    const paths = new Set(entries.files.map((name) => childPath(folder, name)));
    for (const [path, known] of folder.files) if (!paths.has(path)) gone(folder, path, known, diff);
    for (const path of paths)
      if (!folder.files.has(path) && (folder.out === "no" || isWatched(path)))
        folder.files.set(path, null);
    folder.stamp = toStamp(stat);
    folder.isYoung = isRecent(stat, now());
    return true;
  }

  function lookAtFile(
    folder: FolderRecord,
    path: string,
    known: FileRecord | null,
    isTooMuch: boolean,
    diff: Diff | null,
  ): void {
    const stat = readStat(path);
    if (stat === null) return gone(folder, path, known, diff);
    if (stat === unseen) return void diff?.is.set(path, { kept: unseen, mode: 0 });
    if (known !== null && !known.isYoung && known.kept !== unread && isSame(known, stat)) return;
    const old = known === null ? remembered.get(path) : undefined;
    const isKnown = old !== undefined && isSame(old, stat) && !isRecent(stat, now());
    const kept = isKnown ? old.hash : isTooMuch ? unread : identifyContent(path, stat);
    const next = {
      ...toStamp(stat),
      kept,
      mode: permissionBits(stat),
      isYoung: isRecent(stat, now()),
    };
    folder.files.set(path, next);
    if (diff !== null && known?.inode !== stat.ino && isWatched(path)) made.add(path);
    if (kept.startsWith("same:")) unkept.add(path);
    if (kept.startsWith("link:") && isWatched(path)) links.add(path);
    if (!isKnown && isHash.test(kept) && path.isWellFormed())
      store.remember({ path, hash: kept, ...toStamp(stat) });
    if (known?.kept === kept && known.mode === next.mode) return;
    if (known) diff?.was.set(path, known);
    diff?.is.set(path, next);
  }

  function identifyContent(path: string, stat: Stats): string {
    if (stat.isSymbolicLink()) return attempt(() => `link:${linkAt(path)}`, unseen);
    if (!stat.isFile()) return "other";
    if (stat.size > maxKeptBytes || isPack(path)) return sameName(path, stat);
    const bytes = attempt(() => readFileSync(bytesOfPath(path)), null) ?? readClosed(path, stat);
    if (bytes === null) return unseen;
    const hash = Bun.CryptoHasher.hash("sha256", bytes, "hex");
    store.add(bytes, hash);
    return hash;
  }

  function gone(
    folder: FolderRecord,
    path: string,
    known: FileRecord | null,
    diff: Diff | null,
  ): void {
    folder.files.delete(path);
    unkept.delete(path);
    links.delete(path);
    if (path.isWellFormed()) store.forget(path);
    if (known !== null) diff?.was.set(path, known);
  }

  /** A folder that is gone, with all that was in it. */
  function removed(folder: FolderRecord, diff: Diff | null): void {
    for (const [path, known] of folder.files) gone(folder, path, known, diff);
    for (const inner of folder.folders.values()) removed(inner, diff);
    unkept.delete(folder.path);
    if (folder.out !== "inner" && folder.kept !== nothing) diff?.was.set(folder.path, folder);
  }

  return {
    /** Remembers how everything is now. False: there is too much, and nothing can be undone. */
    keep: (): Promise<boolean> =>
      inTurn(async () => {
        isComplete = await look(null);
        made.clear();
        remembered.clear();
        const paths = protectable(unkept);
        return isComplete && paths.length <= maxUnkept && paths.every(isText);
      }),

    /** Changes since then, in the order of paths; empty when not everything was kept. */
    changes: (): Promise<StateChange[]> =>
      inTurn(async () => {
        if (!isComplete) return [];
        const diff: Diff = { was: new Map(), is: new Map() };
        isComplete = await look(diff);
        return listChanges(diff);
      }),

    /** The last look saw all there is. */
    isComplete: (): boolean => isComplete,

    /** A content that was there; null when it was not kept. */
    load: (hash: string): Uint8Array | null => store.load(hash),

    /** Where symlinks lead that are watched. */
    ledTo: (): Set<string> =>
      new Set([...links].flatMap((path) => attempt(() => realpathSync(bytesOfPath(path)), []))),

    /** Whether it was made, or made again, since the last `keep`: no earlier sandbox protects it. */
    isMade: (path: string): boolean => made.has(path),

    /** Paths that cannot be restored and that tools do not make again. */
    unkept: (): string[] => protectable(unkept),

    /** Whether something that cannot be restored lies there, or is around it. */
    isUnkept: (path: string): boolean =>
      [...unkept].some((kept) => holds(path, kept) || holds(kept, path)),

    close: (): void => store.close(),
  };
}

const sliceMs = 20;

const none: ReadonlySet<string> = new Set();
const nothing = "";

/** More packs than this are protected as a folder: then git cannot add any, either. */
const maxPacks = 50;

function protectable(unkept: ReadonlySet<string>): string[] {
  const paths = [...unkept].filter((path) => !isMadeByTools(path));
  const packs = paths.filter(isPack);
  if (packs.length <= maxPacks) return paths;
  return [...paths.filter((path) => !isPack(path)), ...new Set(packs.map(dirname))];
}

/** The sandbox is given texts. */
const isText = (path: string): boolean => path.isWellFormed();

const isHash = /^[0-9a-f]{64}$/;

/** There was too much to read. */
const unread = "unread";

const noStamp: StatStamp = { size: -1, mtimeMs: 0, ctimeMs: 0, inode: 0 };

const newFolder = (path: string, out: FolderRecord["out"]): FolderRecord => ({
  path,
  kept: nothing,
  mode: 0,
  stamp: noStamp,
  isYoung: true,
  mayBeOut: false,
  out,
  files: new Map(),
  folders: new Map(),
});

const childPath = ({ path }: FolderRecord, name: string): string =>
  path.endsWith("/") ? path + name : `${path}/${name}`;

/** Paths with what was there before and what is there now. */
type Diff = { was: Map<string, Seen>; is: Map<string, Seen> };

function listChanges({ was, is }: Diff): StateChange[] {
  const paths = [...new Set([...was.keys(), ...is.keys()])].sort();
  return paths.flatMap((path) => {
    const [before, after] = [was.get(path), is.get(path)];
    if (before?.kept === after?.kept && before?.mode === after?.mode) return [];
    // New ones stay: others may use them by now.
    if (!before && gitObject.test(path)) return [];
    return {
      path,
      before: before?.kept ?? null,
      after: after?.kept ?? null,
      ...(before && { mode: before.mode }),
      ...(after && { modeAfter: after.mode }),
    };
  });
}

const toStamp = ({ size, mtimeMs, ctimeMs, ino }: Stats): StatStamp => ({
  size,
  mtimeMs,
  ctimeMs,
  inode: ino,
});

const isSame = (stamp: StatStamp, stat: Stats): boolean =>
  stamp.ctimeMs === stat.ctimeMs &&
  stamp.mtimeMs === stat.mtimeMs &&
  stamp.size === stat.size &&
  stamp.inode === stat.ino;

/** So soon after a change that the next one could have the same time. */
const isRecent = ({ mtimeMs, ctimeMs }: Stats, nowMs: number): boolean =>
  Math.max(mtimeMs, ctimeMs) > nowMs - youngMs;
