/**
 * Takes over into the workspace what a command changed in its overlay. Each file is replaced at once, and never
 * through a symlink; what was there before is kept for a rewind.
 */

import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  type Stats,
} from "node:fs";
import { openLibc } from "../../base/libc.ts";
import { changeInFolder, type Locate } from "../../base/folder.ts";
import { FFIType, read } from "bun:ffi";
import { attempt } from "../../base/guards.ts";
import { basename, bytesOfPath, dirname } from "../../base/path-bytes.ts";
import { pauser } from "../../base/pauser.ts";
import { partName } from "../../base/replace-file.ts";
import {
  folderName,
  gitObject,
  isPack,
  maxKeptBytes,
  sameName,
  wholeOf,
} from "../../protocol/kept.ts";
import { clearMarks } from "../../trust/sandbox/overlay-marks.ts";
import { mendLinks } from "./hard-links.ts";
import { withInner, type LayerNode } from "./layer-tree.ts";
import { isMadeByTools, leavable } from "./left-out.ts";
import { keeper, maxSaved, readAny, Stopped, type KeepOptions } from "./keeper.ts";
import { linkAt, permissionBits, rawOf, type RawPath } from "./look-at.ts";
import { beneath, canRename, copyOver, diskOf, withWriting, type Links } from "./other-disk.ts";
import type { StateChange } from "./workspace-state.ts";

type MergeOptions = KeepOptions & {
  /** Where the command's versions are. */
  folder: string;
  roots: readonly string[];
  /** Called with all changes, saved, before the first of them. */
  intend(changes: readonly StateChange[]): Promise<void>;
};

/** A change that is about to be made, and the names of what it replaces and puts there. */
type Prepared = {
  node: LayerNode;
  changes: StateChange[];
  /** Where a folder is moved that is removed or replaced. */
  dropTo: string | null;
  /** Its contents are saved: it need not stay there. */
  isSaved: boolean;
  /** Its copy in the workspace, under another name, if it is on another disk. */
  part: RawPath | null;
};

type Failure = { node: LayerNode; why: Stopped["why"] };

const atOnce = 16;

/** Larger contents are in memory one after the other, in bytes. */
const maxTogether = 1024 ** 2;

/** `nodes`: of one root. Goes on after a failure. */
export async function mergeLayer(root: string, nodes: readonly LayerNode[], options: MergeOptions) {
  const { save, roots, maxBytes } = options;
  const { kept, keep, isTooMuch, holdsTooMany, placeFor } = keeper(options);
  const files: StateChange[] = [];
  const ready = new Map<LayerNode, Prepared>();
  const failed: Failure[] = [];
  /** Of files that belong together, one failed. */
  const torn = new Map<string, Stopped["why"]>();
  const modes: { path: string; mode: number }[] = [];
  const all = nodes.flatMap(withInner);
  const broken = mendLinks(all);
  const savesAfter = all.length <= maxSaved;
  const canMove = diskOf(options.folder) === diskOf(root);
  const pause = pauser();
  const links: Links = new Map();

  /** The name of the command's version. */
  async function identify({ path, upper, is }: LayerNode): Promise<string | null> {
    if (upper === null || is === null) return null;
    if (is.isDirectory()) return "folder";
    if (is.isSymbolicLink()) return `link:${linkAt(upper)}`;
    if (is.size > maxKeptBytes || isPack(path)) return sameName(path, is);
    const bytes = readAny(upper, is);
    return savesAfter ? save(bytes) : Bun.CryptoHasher.hash("sha256", bytes, "hex");
  }

  /** Saves the inside of a folder of the workspace, unless it can be moved with it. */
  async function prepareDrop(node: LayerNode, at: RawPath, prepared: Prepared): Promise<string> {
    const all = withInner(node).filter(({ was }) => was !== null);
    if (all.some(({ isClosed }) => isClosed)) throw new Stopped("failed");
    const { bytes, isLarge } = measure(all, ({ was }) => was);
    const isWhole = isLarge || isTooMuch(all.length, bytes) || (await isMadeAgain(node.path));
    prepared.dropTo = placeFor(node.path);
    if (isWhole && canMove) {
      const name = folderName(lstatSync(at));
      prepared.changes.push({ path: prepared.dropTo, before: null, after: name });
      return name;
    }
    if (isLarge || holdsTooMany(bytes)) throw new Stopped("unkept");
    prepared.isSaved = true;
    for (const inner of all) {
      if (inner === node || inner.was === null) continue;
      const source = beneath(at, inner.path.slice(node.path.length + 1));
      const isFolder = inner.was.isDirectory();
      const before = isFolder ? "folder" : await keep(inner.path, source, inner.was);
      prepared.changes.push(...changeOf({ ...inner, is: null }, before, null));
    }
    return "folder";
  }

  const isMadeAgain = async (path: string): Promise<boolean> =>
    isMadeByTools(path) || (await leavable(dirname(path), [basename(path)], roots)).size > 0;

  /** Without what the overlay wrote on it. */
  async function clear(node: LayerNode): Promise<void> {
    for (const { path, upper: inner, is } of withInner(node)) {
      await pause();
      if (inner === null || is === null || is.isSymbolicLink()) continue;
      await withWriting(inner, is, () => clearMarks(bytesOfPath(inner)));
      if (is.isDirectory() && isShut(is)) modes.push({ path, mode: permissionBits(is) });
    }
  }

  /** Saves both versions; null: nothing is changed. */
  async function prepare(node: LayerNode, at: RawPath): Promise<Prepared | null> {
    const { path, upper, is, was } = node;
    // Something in the folder that it replaces is to stay.
    if (node.isPartial) throw new Stopped("changed");
    const now = lstatSync(at, { throwIfNoEntry: false }) ?? null;
    if (!isSame(was, now)) throw new Stopped("changed");
    if (now?.isFile() && isOpenToWrite(at)) throw new Stopped("open");
    const prepared: Prepared = { node, changes: [], dropTo: null, isSaved: false, part: null };
    const [before, after] = await Promise.all([
      now === null
        ? null
        : now.isDirectory()
          ? prepareDrop(node, at, prepared)
          : keep(path, at, now),
      identify(node),
    ]);
    const isTouched = is?.mtimeMs !== was?.mtimeMs || is?.mode !== was?.mode;
    if (before !== null && before === after && !isTouched) return null;
    const isBig = is?.isDirectory() === true && (await isBigAndMadeAgain(node));
    const name = isBig && upper !== null ? folderName(lstatSync(bytesOfPath(upper))) : after;
    prepared.changes.push(...changeOf(node, before, name));
    if (!isBig)
      for (const inner of node.inner.flatMap(withInner)) {
        if (inner.is === null) continue;
        prepared.changes.push(...changeOf({ ...inner, was: null }, null, await identify(inner)));
        await pause();
      }
    return prepared;
  }

  async function isBigAndMadeAgain(node: LayerNode): Promise<boolean> {
    const all = withInner(node);
    const { bytes } = measure(all, ({ is }) => is);
    const isBig = all.length > maxSaved || bytes > maxBytes;
    // A copy has another name.
    return isBig && canMove && (await isMadeAgain(node.path));
  }

  async function copyTo(part: RawPath, prepared: Prepared): Promise<void> {
    prepared.part = part;
    await copyOver(prepared.node, part, links, pause);
  }

  /** Does what takes its time, so that files that belong together are replaced one right after the other. */
  async function make(node: LayerNode, locate: Locate): Promise<void> {
    const prepared = ready.get(node);
    await clear(node);
    if (canMove || prepared === undefined || node.upper === null) return;
    const part = locate(partName());
    await copyTo(part, prepared).catch((error: unknown) => {
      rmSync(part, { recursive: true, force: true });
      throw error;
    });
  }

  async function take(node: LayerNode, locate: Locate): Promise<void> {
    const prepared = ready.get(node);
    if (prepared === undefined) return;
    const at = locate(basename(node.path));
    const { dropTo, isSaved } = prepared;
    const { upper, is, was } = node;
    const check = (): void => {
      if (!isSame(was, lstatSync(at, { throwIfNoEntry: false }) ?? null))
        throw new Stopped("changed");
    };
    const why = torn.get(wholeOf(node.path));
    try {
      if (why !== undefined) throw new Stopped(why);
      check();
      const isMoved = dropTo !== null && attempt(() => (renameSync(at, dropTo), true), false);
      if (dropTo !== null && !isMoved && !isSaved) throw new Stopped("unkept");
      try {
        const dropped = isMoved ? dropTo : at;
        if (dropTo !== null && (await hasChanged(node, dropped, pause)))
          throw new Stopped("changed");
        if (dropTo !== null && !isMoved) rmSync(at, { recursive: true });
        const isUnlinked = was?.isDirectory() === false && (is === null || is.isDirectory());
        if (isUnlinked) unlinkSync(at);
        if (upper !== null && prepared.part === null && !canRename(bytesOfPath(upper), at)) {
          await copyTo(locate(partName()), prepared);
          if (dropTo === null && !isUnlinked) check();
        }
        if (prepared.part !== null) renameSync(prepared.part, at);
      } catch (error) {
        if (isMoved) renameSync(dropTo, at);
        throw error;
      }
      if (isMoved && isSaved) rmSync(dropTo, { recursive: true, force: true });
    } finally {
      if (prepared.part !== null) rmSync(prepared.part, { recursive: true, force: true });
    }
    for (const change of prepared.changes) {
      // A copy has another name.
      if (prepared.part !== null && change.after?.startsWith("same:"))
        change.after = sameName(change.path, lstatSync(bytesOfPath(change.path)));
      files.push(change);
    }
  }

  /** Calls `work` for nodes of a folder that was there before and is there still, or is only partly removed. */
  async function within(
    folder: string,
    nodes: readonly LayerNode[],
    ...works: ((node: LayerNode, locate: Locate) => Promise<void>)[]
  ): Promise<void> {
    const left = new Set(nodes);
    const fail = (node: LayerNode, error: unknown): void => {
      left.delete(node);
      ready.delete(node);
      const why = error instanceof Stopped ? error.why : "failed";
      failed.push({ node, why });
      torn.set(wholeOf(node.path), why);
    };
    const done = changeInFolder(folder, { create: false }, async (locate) => {
      for (let at = 0; at < nodes.length; at += atOnce) {
        const batch = nodes.slice(at, at + atOnce);
        for (const work of works) {
          const open = batch.filter((node) => left.has(node));
          await Promise.all(
            open.map((node) => work(node, locate).catch((error: unknown) => fail(node, error))),
          );
          await pause();
        }
        for (const node of batch) left.delete(node);
      }
    });
    await done.catch((error: unknown) => [...left].forEach((node) => fail(node, error)));
  }

  const merged = withMerged(nodes);
  const folders = [{ path: root, inner: nodes }, ...merged].map(({ path, inner }) => ({
    path,
    left: inner.filter((node) => !isMerged(node)),
  }));
  for (const { path, left } of folders) {
    const work = async (node: LayerNode, locate: Locate): Promise<void> => {
      const prepared = await prepare(node, locate(basename(node.path)));
      if (prepared !== null) ready.set(node, prepared);
    };
    const [small, large] = [left.filter(isSmall), left.filter((node) => !isSmall(node))];
    await within(path, small, work);
    for (const node of large) await within(path, [node], work);
  }
  for (const node of ready.keys()) {
    const why = torn.get(wholeOf(node.path));
    if (why === undefined) continue;
    ready.delete(node);
    failed.push({ node, why });
  }
  const changed = merged.flatMap((node) => changeOf(node, "folder", "folder"));
  const planned = [...ready.values()].flatMap(({ changes }) => changes);
  await options.intend([...kept, ...planned, ...changed]);
  for (const change of [...kept, ...changed]) files.push(change);
  for (const { path, left } of folders) {
    await within(
      path,
      left.filter((node) => ready.has(node)),
      make,
      take,
    );
  }
  for (const { path, is, was } of merged)
    if (is !== null && was !== null && permissionBits(is) !== permissionBits(was))
      modes.push({ path, mode: permissionBits(is) });
  const taken = new Set(files.map(({ path }) => path));
  return { files, failed, modes, broken: broken.filter((path) => taken.has(path)) };
}

const isSmall = ({ is, was }: LayerNode): boolean =>
  Math.max(is?.size ?? 0, was?.size ?? 0) <= maxTogether;

/** Somebody wrote to something in a folder that the command removed. `now`: where it is. */
async function hasChanged(
  node: LayerNode,
  now: RawPath,
  pause: () => Promise<void>,
): Promise<boolean> {
  for (const { path, was } of node.inner.flatMap(withInner)) {
    await pause();
    const at = beneath(now, path.slice(node.path.length + 1));
    if (was !== null && !isSame(was, lstatSync(at, { throwIfNoEntry: false }) ?? null)) return true;
  }
  return false;
}

/** A change as it is logged; none if it is no change. */
function changeOf(
  { path, is, was }: Pick<LayerNode, "path" | "is" | "was">,
  before: string | null,
  after: string | null,
): StateChange[] {
  const mode = was && !was.isSymbolicLink() ? { mode: permissionBits(was) } : {};
  const modeAfter = is && !is.isSymbolicLink() ? { modeAfter: permissionBits(is) } : {};
  const change: StateChange = { path, before, after, ...mode, ...modeAfter };
  if (before === after && change.mode === change.modeAfter) return [];
  // New objects of git stay after a rewind: others may use them by now.
  return before === null && gitObject.test(path) ? [] : [change];
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

const { i32, ptr } = FFIType;

const library = openLibc({
  fcntl: { args: [i32, i32, i32], returns: i32 },
  __errno_location: { args: [], returns: ptr },
});

/** Of fcntl(2) and errno(3) on Linux; not in `constants`. */
const [F_SETSIG, F_SETLEASE, F_RDLCK, EAGAIN] = [10, 1024, 0, 11];
const SIGURG = 23;

/**
 * True if the kernel refuses a read lease because somebody has the file open to write. False where it knows no
 * leases, and for links and files that we may not read.
 */
function isOpenToWrite(path: RawPath): boolean {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = attempt(() => openSync(rawOf(path), flags), null);
  if (file === null || library === null) return false;
  try {
    // Whoever opens it while we hold the lease has the kernel send us a signal: one that is ignored.
    library.fcntl(file, F_SETSIG, SIGURG);
    if (library.fcntl(file, F_SETLEASE, F_RDLCK) !== -1) return false;
    const at = library.__errno_location();
    return at !== null && read.i32(at) === EAGAIN;
  } finally {
    closeSync(file);
  }
}
