import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { SessionInfo } from "./catalog.ts";
import { Checkpoints } from "./checkpoints.ts";
import { referencesIn, removeSession } from "./remove.ts";

/** Where sessions, results and checkpoints are kept. */
type PruneFolders = { sessions: string; toolResults: string; checkpoints: string };

type Pruned = { sessions: number; results: number; checkpointBytes: number };

/**
 * Removes the sessions that were last changed before `beforeMs` (since the epoch) and are not open,
 * then the results and checkpoints of that age that no session of any project refers to.
 */
export async function prune(
  sessions: readonly SessionInfo[],
  beforeMs: number,
  folders: PruneFolders,
): Promise<Pruned> {
  const old = sessions.filter(({ changedMs, busy }) => !busy && changedMs < beforeMs);
  for (const { file } of old) removeSession(file);
  const { files, hashes } = referencesIn(folders.sessions);
  return {
    sessions: old.length,
    results: await removeResults(folders.toolResults, files, beforeMs),
    checkpointBytes: await new Checkpoints(folders.checkpoints).prune(hashes, beforeMs),
  };
}

/** Names are unique. Paths are not compared: a log may spell its home differently (a symlink). */
async function removeResults(
  folder: string,
  referenced: ReadonlySet<string>,
  beforeMs: number,
): Promise<number> {
  const names = new Set([...referenced].map((file) => basename(file)));
  let removed = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const info = await stat(file).catch(() => null);
    if (!info?.isFile() || names.has(name) || info.mtimeMs >= beforeMs) continue;
    await rm(file, { force: true });
    removed++;
  }
  return removed;
}
