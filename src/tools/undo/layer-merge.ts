/**
 * Takes over into the workspace what a command changed in its overlay. Each file is replaced at once, and never
 * through a symlink; what was there before is kept for a rewind.
 */

import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { changeInFolder } from "../../base/folder.ts";
import { attempt, errorCode } from "../../base/guards.ts";
import { basename, bytesOfPath, dirname } from "../../base/path-bytes.ts";
import { folderName, isPack, maxKeptBytes, sameName } from "../../protocol/kept.ts";
import { clearMarks } from "../sandbox/overlay-marks.ts";
import { withInner, type LayerNode } from "./layer-tree.ts";
import { isMadeByTools, leavable } from "./left-out.ts";
import { isOpenToWrite } from "./is-open.ts";
import { linkAt, permissionBits, rawOf, readClosed, type RawPath } from "./look-at.ts";
import { gitObject, type StateChange } from "./workspace-state.ts";

type MergeOptions = {
  roots: readonly string[];
  /** A new private folder: what is too much to be saved is moved there. */
  keptFolder: string;
  /** Saves a content for a rewind; returns its hash. */
  save(bytes: Uint8Array): Promise<string>;
  /** More than this is not saved but moved, in bytes. */
  maxBytes: number;
};

/**
 * "changed": by somebody else, while it was taken over. "open": to be written, by another program.
 * "unkept": it could not be undone.
 */
type Failure = { node: LayerNode; why: "changed" | "open" | "unkept" | "failed" };

/** More contents than this are not saved but moved: to save one, we wait for the disk. */
const maxSaved = 200;

const atOnce = 16;

/** Larger contents are in memory one after the other, in bytes. */
const maxTogether = 1024 ** 2;

class Stopped extends Error {
  constructor(readonly why: Failure["why"]) {
    super(why);
  }
}

/** `nodes`: of one root. Goes on after a failure. */
export async function mergeLayer(root: string, nodes: readonly LayerNode[], options: MergeOptions) {
  const { keptFolder, save, roots, maxBytes } = options;
  const files: StateChange[] = [];
  const failed: Failure[] = [];
  const modes: { path: string; mode: number }[] = [];
  const savesAfter = nodes.flatMap(withInner).length <= maxSaved;
  const saved = { files: 0, bytes: 0 };
  let moved = 0;

  const isTooMuch = (count: number, bytes: number): boolean =>
    saved.files + count > maxSaved || saved.bytes + bytes > maxBytes;

  /** A pack of git is known by its name. */
  function placeKept(path: string): string {
    moved += 1;
    const to = join(keptFolder, `${moved}`, ...(isPack(path) ? [basename(path)] : []));
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    return to;
  }

  /** Keeps what is in the workspace, which is no folder; returns its name. */
  async function keep(path: string, at: RawPath, stat: Stats): Promise<string> {
    if (stat.isSymbolicLink()) return `link:${linkAt(at)}`;
    if (!stat.isFile()) return "other";
    const isLarge = stat.size > maxKeptBytes || isPack(path);
    if (isLarge || isTooMuch(1, stat.size)) {
      const to = placeKept(path);
      if (attempt(() => (linkSync(at, to), true), false)) {
        files.push({ path: to, before: null, after: sameName(path, stat) });
        return sameName(path, stat);
      }
      // On another file system.
      if (isLarge || saved.bytes + stat.size > maxBytes) throw new Stopped("unkept");
    }
    saved.files += 1;
    saved.bytes += stat.size;
    return save(readAny(at, stat));
  }

  /** The name of the command's version. */
  async function identify({ path, upper, is }: LayerNode): Promise<string | null> {
    if (upper === null || is === null) return null;
    if (is.isDirectory()) return "folder";
    if (is.isSymbolicLink()) return `link:${linkAt(upper)}`;
    if (is.size > maxKeptBytes || isPack(path)) return sameName(path, is);
    const bytes = readAny(upper, is);
    return savesAfter ? save(bytes) : Bun.CryptoHasher.hash("sha256", bytes, "hex");
  }

  function record({ path, is, was }: LayerNode, before: string | null, after: string | null): void {
    const mode = was && !was.isSymbolicLink() ? { mode: permissionBits(was) } : {};
    const modeAfter = is && !is.isSymbolicLink() ? { modeAfter: permissionBits(is) } : {};
    const change: StateChange = { path, before, after, ...mode, ...modeAfter };
    if (before === after && change.mode === change.modeAfter) return;
    // New objects of git stay after a rewind: others may use them by now.
    if (before !== null || !gitObject.test(path)) files.push(change);
  }

  /** Removes a folder of the workspace with all that is in it; returns its name. */
  async function drop(node: LayerNode, at: RawPath): Promise<string> {
    const all = withInner(node).filter(({ was }) => was !== null);
    if (all.some(({ isClosed }) => isClosed)) throw new Stopped("failed");
    const { bytes, isLarge } = measure(all, ({ was }) => was);
    const isWhole = isLarge || isTooMuch(all.length, bytes) || (await isMadeAgain(node.path));
    const to = placeKept(node.path);
    const isMoved = attempt(() => (renameSync(at, to), true), false);
    if (isMoved && isWhole) {
      const name = folderName(lstatSync(to));
      files.push({ path: to, before: null, after: name });
      return name;
    }
    if (!isMoved && (isLarge || saved.bytes + bytes > maxBytes)) throw new Stopped("unkept");
    const from = isMoved ? to : at;
    for (const inner of all) {
      if (inner === node || inner.was === null) continue;
      const source = beneath(from, inner.path.slice(node.path.length + 1));
      const isFolder = inner.was.isDirectory();
      const before = isFolder ? "folder" : await keep(inner.path, source, inner.was);
      record({ ...inner, is: null }, before, null);
    }
    rmSync(from, { recursive: true, force: true });
    return "folder";
  }

  const isMadeAgain = async (path: string): Promise<boolean> =>
    isMadeByTools(path) || (await leavable(dirname(path), [basename(path)], roots)).size > 0;

  /** Puts the command's version into its place. `part`: a free name beside it. */
  function place(node: LayerNode, upper: string, at: RawPath, part: RawPath): void {
    for (const { path, upper: inner, is } of withInner(node)) {
      if (inner === null || is === null || is.isSymbolicLink()) continue;
      withWriting(inner, is, () => clearMarks(bytesOfPath(inner)));
      if (is.isDirectory() && isShut(is)) modes.push({ path, mode: permissionBits(is) });
    }
    try {
      renameSync(bytesOfPath(upper), at);
    } catch (error) {
      if (errorCode(error) !== "EXDEV") throw error;
      try {
        copy(node, part);
        renameSync(part, at);
      } finally {
        rmSync(part, { recursive: true, force: true });
      }
    }
  }

  /** Saves both versions, as far as they are no folders; of large ones the command's is saved later. */
  async function prepare(node: LayerNode, at: RawPath): Promise<Prepared> {
    const { path, was } = node;
    const keepOld = async (): Promise<string | null> => {
      if (was === null || was.isDirectory()) return null;
      const now = lstatSync(at, { throwIfNoEntry: false }) ?? null;
      if (now === null || !isSame(was, now)) throw new Stopped("changed");
      if (now.isFile() && isOpenToWrite(at)) throw new Stopped("open");
      return keep(path, at, now);
    };
    const isSmall = (node.is?.size ?? 0) <= maxTogether;
    const [before, after] = await Promise.all([keepOld(), isSmall ? identify(node) : null]);
    return { before, after };
  }

  async function take(node: LayerNode, at: RawPath, part: RawPath, prepared: Prepared) {
    const { upper, is, was } = node;
    const { before } = prepared;
    // Something in the folder that it replaces is to stay.
    if (node.isPartial) throw new Stopped("changed");
    if (!isSame(was, lstatSync(at, { throwIfNoEntry: false }) ?? null))
      throw new Stopped("changed");
    const after = prepared.after ?? (await identify(node));
    const isTouched = is?.mtimeMs !== was?.mtimeMs || is?.mode !== was?.mode;
    if (before !== null && before === after && !isTouched) return;
    const isBig = is?.isDirectory() === true && (await isBigAndMadeAgain(node));
    // While it can still be read where it is.
    const inside: (() => void)[] = [];
    if (!isBig)
      for (const inner of node.inner.flatMap(withInner)) {
        if (inner.is === null) continue;
        const name = await identify(inner);
        inside.push(() => record({ ...inner, was: null }, null, name));
      }
    const old = was?.isDirectory() ? await drop(node, at) : before;
    if (was && !was.isDirectory() && (is === null || is.isDirectory())) unlinkSync(at);
    if (upper !== null) place(node, upper, at, part);
    record(node, old, isBig ? folderName(lstatSync(at)) : after);
    inside.forEach((record) => record());
  }

  async function isBigAndMadeAgain(node: LayerNode): Promise<boolean> {
    const all = withInner(node);
    const { bytes } = measure(all, ({ is }) => is);
    return (all.length > maxSaved || bytes > maxBytes) && isMadeAgain(node.path);
  }

  /** Changes in a folder that was there before and is there still, or is only partly removed. */
  async function into(folder: string, nodes: readonly LayerNode[]): Promise<void> {
    const left = new Set(nodes.filter((node) => !isMerged(node)));
    if (left.size === 0) return;
    const fail = (node: LayerNode, error: unknown): void => {
      left.delete(node);
      failed.push({ node, why: error instanceof Stopped ? error.why : "failed" });
    };
    const work = changeInFolder(folder, { create: false }, async (locate) => {
      const ready = new Map<LayerNode, Prepared>();
      await inBatches([...left], async (node) => {
        const prepared = prepare(node, locate(basename(node.path)));
        await prepared.then(
          (kept) => ready.set(node, kept),
          (error: unknown) => fail(node, error),
        );
      });
      for (const [node, prepared] of ready) {
        const part = locate(`.${crypto.randomUUID()}.tmp`);
        try {
          await take(node, locate(basename(node.path)), part, prepared);
          left.delete(node);
        } catch (error) {
          fail(node, error);
        }
      }
    });
    await work.catch((error: unknown) => [...left].forEach((node) => fail(node, error)));
  }

  const merged = withMerged(nodes);
  const folders = [{ path: root, inner: nodes }, ...merged];
  await inBatches(folders, ({ path, inner }) => into(path, inner));
  for (const node of merged) {
    const { path, is, was } = node;
    if (is === null || was === null || permissionBits(is) === permissionBits(was)) continue;
    modes.push({ path, mode: permissionBits(is) });
    record(node, "folder", "folder");
  }
  return { files, failed, modes };
}

/** Names of the contents that are saved, or kept in another way. */
type Prepared = { before: string | null; after: string | null };

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce)
    await Promise.all(items.slice(at, at + atOnce).map(work));
}

/** Folders in which something changed, and those in them. */
const withMerged = (nodes: readonly LayerNode[]): LayerNode[] =>
  nodes.filter(isMerged).flatMap((node) => [node, ...withMerged(node.inner)]);

/** A folder in which something changed. It is not replaced itself. */
const isMerged = ({ is, was, isPartial }: LayerNode): boolean =>
  was?.isDirectory() === true && (is === null ? isPartial : is.isDirectory());

/** The inside before the folder: afterwards it may be closed. */
export async function setModes(modes: readonly { path: string; mode: number }[]): Promise<void> {
  for (const { path, mode } of modes.toSorted((a, b) => (a.path < b.path ? 1 : -1)))
    await changeInFolder(dirname(path), { create: false }, async (locate) => {
      const at = locate(basename(path));
      if (lstatSync(at).isDirectory()) chmodSync(at, mode);
    }).catch(() => undefined);
}

const isShut = ({ mode }: Stats): boolean => (mode & 0o700) !== 0o700;

/** Marks of a file can be removed only while it can be written. */
function withWriting(path: string, stat: Stats, work: () => void): void {
  const isClosed = stat.isFile() && (stat.mode & 0o600) !== 0o600;
  if (isClosed) chmodSync(bytesOfPath(path), permissionBits(stat) | 0o600);
  work();
  if (isClosed) chmodSync(bytesOfPath(path), permissionBits(stat));
}

function measure(nodes: readonly LayerNode[], pick: (node: LayerNode) => Stats | null) {
  const files = nodes.flatMap((node) => {
    const stat = pick(node);
    return stat?.isFile() ? { path: node.path, size: stat.size } : [];
  });
  return {
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    isLarge: files.some(({ path, size }) => size > maxKeptBytes || isPack(path)),
  };
}

const isSame = (before: Stats | null, now: Stats | null): boolean =>
  before === null || now === null
    ? before === now
    : before.ino === now.ino &&
      before.mode === now.mode &&
      (before.isDirectory() || (before.size === now.size && before.mtimeMs === now.mtimeMs));

const readAny = (path: RawPath, stat: Stats): Uint8Array => {
  // Somebody may have put a link or a pipe in its place.
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const bytes = attempt(() => readFileSync(rawOf(path), { flag }), null) ?? readClosed(path, stat);
  if (bytes === null) throw new Stopped("failed");
  return bytes;
};

const beneath = (folder: RawPath, way: string): RawPath =>
  Buffer.concat([Buffer.from(folder), Buffer.from("/"), Buffer.from(bytesOfPath(way))]);

/** To another file system. */
function copy({ path, upper, is, inner }: LayerNode, to: RawPath): void {
  if (upper === null || is === null) return;
  const from = bytesOfPath(upper);
  if (is.isSymbolicLink()) return symlinkSync(bytesOfPath(linkAt(from)), to);
  if (is.isDirectory()) {
    mkdirSync(to, { mode: 0o700 });
    for (const node of inner) copy(node, beneath(to, node.path.slice(path.length + 1)));
  } else withWriting(upper, is, () => copyFileSync(from, to, constants.COPYFILE_EXCL));
  chmodSync(to, permissionBits(is) | (is.isDirectory() ? 0o700 : 0));
  utimesSync(to, is.atime, is.mtime);
}
