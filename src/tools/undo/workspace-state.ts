/**
 * The state of the workspace before a command, so that what the command changed can be undone. All files
 * are looked at; only those that changed since the last look are read.
 */

import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { join, sep } from "node:path";
import { attempt } from "../../base/guards.ts";
import { openContents, type Stamp } from "./content-store.ts";
import { isLeftOutName, ignoredFolders } from "./left-out.ts";

/**
 * A content by its hash, a symlink by what it leads to (`link:TARGET`), `folder`, or null for nothing.
 */
export type Kept = string | null;

export type StateChange = { path: string; before: Kept; after: Kept; executable?: true };

export type StateOptions = {
  roots: readonly string[];
  /** Never looked at. */
  skipped: readonly string[];
  /** Our own folder, in which contents are kept. */
  own: string;
  now(): number;
  /** An ignored folder with more than this is left out. */
  maxIgnoredBytes: number;
  /** With more entries than this, nothing is kept. */
  maxEntries?: number;
};

type FileRecord = Stamp & { kept: string; executable: boolean; isYoung: boolean };

type FolderRecord = {
  path: string;
  stamp: Stamp;
  isYoung: boolean;
  files: Map<string, FileRecord | null>;
  folders: FolderRecord[];
};

/** A larger file is not kept. */
const maxFileBytes = 64 * 1024 ** 2;
const maxIgnoredFiles = 5_000;
const defaultMaxEntries = 200_000;

/** Longer than any file system takes to tell two changes apart, in milliseconds. */
const youngMs = 3_000;

/** What git writes once and never changes. */
const gitObjects = /(?:^|\/)\.git\/(?:.*\/)?(?:objects|lfs)$/;

export type WorkspaceState = ReturnType<typeof openState>;

export function openState(options: StateOptions) {
  const { roots, skipped, now, maxEntries = defaultMaxEntries } = options;
  const name = Bun.CryptoHasher.hash("sha256", JSON.stringify(roots), "hex").slice(0, 16);
  const store = openContents(join(options.own, "states", `${name}.sqlite`), now());
  const leftOut = new Set<string>(skipped);
  const remembered = new Map(store.known().map((file) => [file.path, file]));
  let folders: FolderRecord[] = [];
  let isComplete = false;

  /** Reads what is new; `tell`: gets every change. Returns false when there is too much. */
  async function look(tell: ((change: StateChange) => void) | null): Promise<boolean> {
    let left = maxEntries;
    const tops = roots.map(
      (root) => folders.find(({ path }) => path === root) ?? emptyRecord(root),
    );
    const open = [...tops];
    // A pause now and then keeps the screen alive.
    let sinceMs = performance.now();
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const stat = attempt(() => lstatSync(at.path), null);
      if (stat?.isDirectory()) await list(at, stat, tell);
      else emptied(at, tell);
      left -= at.files.size + at.folders.length;
      if (left < 0) return false;
      lookAtFiles(at, tell);
      open.push(...at.folders);
      if (performance.now() - sinceMs < sliceMs) continue;
      store.commit();
      await Bun.sleep(0);
      sinceMs = performance.now();
    }
    store.commit();
    folders = tops;
    return true;
  }

  /** Which files and folders there are; read again only when that changed. */
  async function list(
    folder: FolderRecord,
    stat: Stats,
    tell: ((change: StateChange) => void) | null,
  ): Promise<void> {
    if (!folder.isYoung && isSame(folder.stamp, stat)) return;
    const entries = attempt(() => readdirSync(folder.path, { withFileTypes: true }), []);
    const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const fresh = inner.filter(
      (name) => !folder.folders.some(({ path }) => path === join(folder.path, name)),
    );
    const ignored = fresh.length === 0 ? [] : await ignoredFolders(folder.path, fresh, roots);
    const isOut = (name: string): boolean => {
      const path = join(folder.path, name);
      if (leftOut.has(path) || gitObjects.test(path)) return true;
      const isNew = fresh.includes(name) && (ignored.includes(name) || isLeftOutName(name));
      // While a command is judged by what it changed, new folders are looked at whatever they are.
      const isTooLarge = isNew && tell === null && isLarger(path, options.maxIgnoredBytes);
      if (isTooLarge) leftOut.add(path);
      return isTooLarge;
    };
    const kept = inner.filter((name) => !isOut(name));
    const known = new Map(folder.folders.map((one) => [one.path, one]));
    folder.folders = kept.map((name) => {
      const path = join(folder.path, name);
      const record = known.get(path);
      known.delete(path);
      if (record) return record;
      tell?.({ path, before: null, after: "folder" });
      return emptyRecord(path);
    });
    for (const gone of known.values()) {
      if (leftOut.has(gone.path)) continue;
      emptied(gone, tell);
      tell?.({ path: gone.path, before: "folder", after: null });
    }
    const names = new Set(
      entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name),
    );
    for (const [name, record] of folder.files)
      if (!names.has(name)) gone(folder, name, record, tell);
    for (const name of names) if (!folder.files.has(name)) folder.files.set(name, null);
    folder.stamp = stampOf(stat);
    folder.isYoung = isRecent(stat, now());
  }

  function lookAtFiles(folder: FolderRecord, tell: ((change: StateChange) => void) | null): void {
    const prefix = folder.path.endsWith(sep) ? folder.path : folder.path + sep;
    for (const [name, record] of folder.files) {
      const path = prefix + name;
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (stat === undefined) {
        gone(folder, name, record, tell);
        continue;
      }
      if (record !== null && !record.isYoung && isSame(record, stat)) continue;
      const known = record === null ? remembered.get(path) : undefined;
      const isKnown = known !== undefined && isSame(known, stat) && !isRecent(stat, now());
      const kept = isKnown ? known.hash : contentOf(path, stat);
      if (kept === null) continue;
      const next = {
        ...stampOf(stat),
        kept,
        executable: (stat.mode & 0o111) !== 0,
        isYoung: isRecent(stat, now()),
      };
      folder.files.set(name, next);
      if (!isKnown && !kept.startsWith("link:"))
        store.remember({ path, hash: kept, ...stampOf(stat) });
      if (record?.kept === kept && record.executable === next.executable) continue;
      tell?.({
        path,
        before: record?.kept ?? null,
        after: kept,
        ...(record?.executable && { executable: true }),
      });
    }
  }

  function contentOf(path: string, stat: Stats): string | null {
    if (stat.isSymbolicLink()) return `link:${attempt(() => readlinkSync(path), "")}`;
    if (!stat.isFile() || stat.size > maxFileBytes) return null;
    const bytes = attempt(() => readFileSync(path), null);
    if (bytes === null) return null;
    const hash = Bun.CryptoHasher.hash("sha256", bytes, "hex");
    store.add(bytes, hash);
    return hash;
  }

  function gone(
    folder: FolderRecord,
    name: string,
    record: FileRecord | null,
    tell: ((change: StateChange) => void) | null,
  ): void {
    const path = join(folder.path, name);
    folder.files.delete(name);
    store.forget(path);
    if (record === null) return;
    const executable = record.executable ? { executable: true as const } : {};
    tell?.({ path, before: record.kept, after: null, ...executable });
  }

  /** A folder that is gone, with all that was in it. */
  function emptied(folder: FolderRecord, tell: ((change: StateChange) => void) | null): void {
    for (const [name, record] of folder.files) gone(folder, name, record, tell);
    for (const inner of folder.folders) {
      emptied(inner, tell);
      tell?.({ path: inner.path, before: "folder", after: null });
    }
    folder.folders = [];
    folder.stamp = noStamp;
  }

  return {
    /** Remembers how everything is now. False: there is too much, and nothing can be undone. */
    async keep(): Promise<boolean> {
      isComplete = await look(null);
      remembered.clear();
      return isComplete;
    },

    /** What has changed since, in the order of paths; empty when not everything was kept. */
    async changes(): Promise<StateChange[]> {
      if (!isComplete) return [];
      const found: StateChange[] = [];
      isComplete = await look((change) => void found.push(change));
      return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    },

    /** A content that was there; null when it was not kept. */
    load: (hash: string): Uint8Array | null => store.load(hash),

    /** Ignored folders that were too large to keep. */
    leftOut: (): string[] => [...leftOut].filter((path) => !skipped.includes(path)),

    close: (): void => store.close(),
  };
}

const sliceMs = 20;

const noStamp: Stamp = { size: -1, mtimeMs: 0, ctimeMs: 0, inode: 0 };

const emptyRecord = (path: string): FolderRecord => ({
  path,
  stamp: noStamp,
  isYoung: true,
  files: new Map(),
  folders: [],
});

const stampOf = ({ size, mtimeMs, ctimeMs, ino }: Stats): Stamp => ({
  size,
  mtimeMs,
  ctimeMs,
  inode: ino,
});

const isSame = (stamp: Stamp, stat: Stats): boolean =>
  stamp.ctimeMs === stat.ctimeMs &&
  stamp.mtimeMs === stat.mtimeMs &&
  stamp.size === stat.size &&
  stamp.inode === stat.ino;

/** So soon after a change that the next one could have the same time. */
const isRecent = ({ mtimeMs, ctimeMs }: Stats, nowMs: number): boolean =>
  Math.max(mtimeMs, ctimeMs) > nowMs - youngMs;

/** Stops as soon as it knows. */
function isLarger(folder: string, maxBytes: number): boolean {
  const open = [folder];
  let bytes = 0;
  let files = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const entry of attempt(() => readdirSync(at, { withFileTypes: true }), [])) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) open.push(path);
      else bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      files += 1;
      if (bytes > maxBytes || files > maxIgnoredFiles) return true;
    }
  }
  return false;
}
