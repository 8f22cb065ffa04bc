/**
 * Removes folders that a rewind empties in one step each: they are moved out of the workspace, and their files removed
 * without anybody waiting for it. To unlink 100,000 files takes a minute on a busy disk.
 */

import { lstatSync, readdirSync, renameSync } from "node:fs";
import { rm } from "node:fs/promises";
import { changeInFolder } from "../base/folder.ts";
import { basename, dirname, textOfPath } from "../base/path-bytes.ts";
import { pauser } from "../base/pauser.ts";
import type { RewindStep } from "./rewind-plan.ts";

type Deletion = Extract<RewindStep, { how: "delete" }>;

/** With fewer files, a folder is not worth it. */
const minFiles = 100;

/**
 * Returns the steps that are done. `trash`: gives a new path in a private folder; where that is on another disk, and
 * where something else lies in a folder by now, nothing is done.
 */
export async function removeFolders(
  steps: readonly RewindStep[],
  trash: () => string,
): Promise<ReadonlySet<RewindStep>> {
  const done = new Set<RewindStep>();
  const deletions = new Map(
    steps.flatMap((step) => (step.how === "delete" ? [[step.path, step] as const] : [])),
  );
  const tops = new Map<string, string>();
  const topOf = (path: string): string => {
    const known = tops.get(path);
    if (known !== undefined) return known;
    const folder = dirname(path);
    const top = deletions.has(folder) ? topOf(folder) : path;
    tops.set(path, top);
    return top;
  };
  const groups = Map.groupBy(deletions.values(), ({ path }) => topOf(path));
  const others = steps.flatMap((step) =>
    step.how === "delete" ? [] : step.how === "move" ? [step.path, step.from] : [step.path],
  );
  for (const [top, group] of groups) {
    if (group.length < minFiles || others.some((path) => path.startsWith(`${top}/`))) continue;
    if (await moveOut(top, deletions, trash).catch(() => false))
      for (const step of group) done.add(step);
  }
  return done;
}

/** False, and it is where it was: something else lies in it. Throws the system's error. */
async function moveOut(
  folder: string,
  deletions: ReadonlyMap<string, Deletion>,
  trash: () => string,
): Promise<boolean> {
  let isMoved = false;
  await changeInFolder(dirname(folder), { create: false }, async (locate) => {
    const at = locate(basename(folder));
    // If we are killed after the move, nothing of somebody else's is gone with it.
    if (!(await holdsOnly(at, folder, deletions))) return;
    const to = trash();
    renameSync(at, to);
    // Again, where nobody else reaches it by name.
    isMoved = await holdsOnly(to, folder, deletions).catch(() => false);
    if (!isMoved) renameSync(to, at);
    else void rm(dirname(to), { recursive: true, force: true }).catch(() => undefined);
  });
  return isMoved;
}

async function holdsOnly(
  folder: string | Buffer,
  before: string,
  deletions: ReadonlyMap<string, Deletion>,
): Promise<boolean> {
  if (!lstatSync(folder).isDirectory()) return false;
  const pause = pauser();
  const open = [{ at: Buffer.from(folder), path: before }];
  for (const { at, path } of open) {
    for (const name of readdirSync(at, { encoding: "buffer" })) {
      const inner = `${path}/${textOfPath(name)}`;
      const step = deletions.get(inner);
      if (step === undefined) return false;
      const place = Buffer.concat([at, Buffer.from("/"), name]);
      if (!step.isWhole && lstatSync(place).isDirectory()) open.push({ at: place, path: inner });
    }
    await pause();
  }
  return true;
}
