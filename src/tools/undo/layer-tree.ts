/** The changes of a command in its overlay, as a tree of differences from the workspace as it is now. */

import { chmodSync, rmSync, type Stats } from "node:fs";
import { bytesOfPath } from "../../base/path-bytes.ts";
import { pauser } from "../../base/pauser.ts";
import { isOpaque } from "../../trust/sandbox/overlay-marks.ts";
import { listEntries, readStat, unlock, unseen, type Unlocked } from "./look-at.ts";

/** A path that the command changed, or a folder in which it changed something. */
export type LayerNode = {
  /** In the workspace. */
  path: string;
  /** Where the command's version is; null: it removed what was there. */
  upper: string | null;
  is: Stats | null;
  /** Its state in the workspace now. */
  was: Stats | null;
  inner: LayerNode[];
  /** A folder that cannot be listed. */
  isClosed: boolean;
  /** Something in a removed folder is to stay. */
  isPartial: boolean;
};

/** Of what the command's folder hides in the workspace. "nothing": there is no such folder. */
type Below = "shows" | "hidden" | "nothing";

const open = { isClosed: false, isPartial: false };

/** `unlocked`: folders of the workspace that nobody may read; the caller locks them again. */
export async function readLayer(
  upper: string,
  root: string,
  unlocked: Unlocked[],
): Promise<LayerNode[]> {
  const pause = pauser();
  const top = { path: root, upper, isClosed: false, inner: [] };
  await compare(top, upper, "shows");
  return top.inner;

  async function compare(
    folder: Pick<LayerNode, "path" | "inner" | "isClosed">,
    upper: string,
    below: Below,
  ): Promise<void> {
    await pause();
    const names = list(folder, upper);
    for (const name of names) {
      const at = `${upper}/${name}`;
      const path = `${folder.path}/${name}`;
      const is = readStat(at);
      // Its path may be too long, or the disk broken: what cannot be looked at must not be lost, either.
      if (is === unseen) throw new Error(`${path} cannot be looked at`);
      if (is === null) continue;
      const was = below === "nothing" ? null : statAt(path);
      const node: LayerNode = { path, upper: at, is, was, inner: [], ...open };
      if (is.isCharacterDevice() && is.rdev === 0) {
        // A folder that is moved into the workspace must not take it along.
        rmSync(bytesOfPath(at));
        if (was !== null) folder.inner.push(await gone(path, was));
        continue;
      }
      folder.inner.push(node);
      if (!is.isDirectory()) {
        node.inner = await insideOf(path, was, node);
        continue;
      }
      // Open until it is in its place, where it gets its mode.
      if ((is.mode & 0o700) !== 0o700) chmodSync(bytesOfPath(at), is.mode | 0o700);
      if (was?.isDirectory() !== true) await compare(node, at, "nothing");
      else {
        unlock(path, was, unlocked, 0o700, 0o700);
        await compare(node, at, isOpaque(bytesOfPath(at)) ? "hidden" : "shows");
      }
    }
    if (below !== "hidden") return;
    const known = new Set(names);
    for (const name of list(folder, folder.path)) {
      const path = `${folder.path}/${name}`;
      const was = known.has(name) ? null : statAt(path);
      if (was !== null) folder.inner.push(await gone(path, was));
    }
  }

  async function gone(path: string, was: Stats): Promise<LayerNode> {
    const node: LayerNode = { path, upper: null, is: null, was, inner: [], ...open };
    node.inner = await insideOf(path, was, node);
    return node;
  }

  async function insideOf(path: string, was: Stats | null, node: LayerNode): Promise<LayerNode[]> {
    if (!was?.isDirectory()) return [];
    await pause();
    unlock(path, was, unlocked, 0o700, 0o700);
    const found: LayerNode[] = [];
    for (const name of list(node, path)) {
      const inner = statAt(`${path}/${name}`);
      if (inner !== null) found.push(await gone(`${path}/${name}`, inner));
    }
    return found;
  }
}

function list(node: Pick<LayerNode, "isClosed">, folder: string): string[] {
  const entries = listEntries(folder);
  if (entries !== null) return [...entries.folders, ...entries.files];
  node.isClosed = true;
  return [];
}

function statAt(path: string): Stats | null {
  const stat = readStat(path);
  return stat === unseen ? null : stat;
}

/** It and all that lies in it, a folder before its inside. */
export function withInner(node: LayerNode): LayerNode[] {
  const all = [node];
  // It grows while it is read.
  for (const { inner } of all) for (const child of inner) all.push(child);
  return all;
}
