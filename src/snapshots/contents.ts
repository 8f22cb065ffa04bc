/** Contents that a rewind needs: of commands in a snapshot's git directory, of file tools in the checkpoints. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Checkpoints } from "../log/checkpoints.ts";
import { createObjects, findGit, isContentId, openObjects } from "./objects.ts";
import { snapshotFolder } from "./snapshots.ts";

export type Contents = ReturnType<typeof openContents>;

/** `own`: our own folder. `root`: the workspace. */
export function openContents(own: string, root: string, checkpoints: Checkpoints) {
  const git = findGit();
  const folder = snapshotFolder(own, root);

  /** Subagents work in folders of their own, and workspaces are moved. */
  async function loadElsewhere(id: string): Promise<Uint8Array | null> {
    if (git === null) return null;
    for (const name of await readdir(join(own, "snapshots")).catch(() => [])) {
      const other = join(own, "snapshots", name);
      if (name === "running" || other === folder) continue;
      const found = (await openObjects(other, git).load([id])).get(id);
      if (found) return found;
    }
    return null;
  }

  return {
    /** Reading a missing content throws with a sentence. */
    async load(ids: readonly string[]): Promise<(id: string) => Promise<Uint8Array>> {
      const ours = ids.filter(isContentId);
      const found = git === null ? new Map() : await openObjects(folder, git).load(ours);
      return async (id) => {
        if (!isContentId(id)) return checkpoints.load(id);
        const bytes = found.get(id) ?? (await loadElsewhere(id));
        if (bytes === null) throw new Error("Its content is no longer kept.");
        return bytes;
      };
    },

    /** Saves what is about to be taken away, if it is not there yet. `read`: its bytes. */
    async keep(ids: readonly string[], read: (id: string) => Promise<Uint8Array>): Promise<void> {
      const ours = ids.filter(isContentId);
      for (const id of ids) if (!isContentId(id)) await checkpoints.save(await read(id));
      if (ours.length === 0) return;
      if (git === null) throw new Error("git is not installed.");
      createObjects(folder);
      const objects = openObjects(folder, git);
      const writer = objects.writer();
      for (const id of await objects.missing(ours)) await writer.add(await read(id));
      await writer.finish();
    },
  };
}
