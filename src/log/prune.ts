/** Removes old sessions, and the results and checkpoints that no session refers to. */

import { existsSync, readdirSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isOutcome } from "../protocol/outcome.ts";
import { removeSession, type SessionInfo } from "./catalog.ts";
import { parseLine } from "./parse.ts";
import { readLines } from "./read.ts";

/** Result files and checkpoint hashes that logs refer to. */
type References = { files: Set<string>; hashes: Set<string> };

/** References of all sessions of all projects; `root` has one folder per project. */
function findReferences(root: string): References {
  const found: References = { files: new Set(), hashes: new Set() };
  if (!existsSync(root)) return found;
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".jsonl")) collect(join(root, name), found);
  }
  return found;
}

function collect(file: string, found: References): void {
  for (const bytes of readLines(file)) {
    const line = bytes.toString("utf8");
    // Parsing only lines that can hold a reference is ten times faster.
    if (!line.includes('"type":"checkpoint"') && !line.includes('"file":')) continue;
    const { entry } = parseLine(line);
    if (entry && isOutcome(entry) && entry.file !== undefined) found.files.add(entry.file);
    if (entry?.type !== "checkpoint") continue;
    for (const { before, after } of entry.files) {
      if (before !== null) found.hashes.add(before);
      if (after !== null) found.hashes.add(after);
    }
  }
}

/** Where sessions, results and checkpoints are kept. */
type PruneFolders = { sessions: string; toolResults: string; checkpoints: string };

/**
 * Removes the sessions that were last changed before `beforeMs` (since the epoch) and are not open,
 * then the results and checkpoints of that age that no session of any project refers to.
 */
export async function prune(
  sessions: readonly SessionInfo[],
  beforeMs: number,
  folders: PruneFolders,
) {
  const old = sessions.filter(({ changedMs, busy }) => !busy && changedMs < beforeMs);
  for (const { file } of old) removeSession(file);
  const { files, hashes } = findReferences(folders.sessions);
  // Names are unique. A path may be spelled differently in the log, as its home may be a symlink.
  const names = new Set([...files].map((file) => basename(file)));
  return {
    sessions: old.length,
    results: (await removeOld(folders.toolResults, names, beforeMs)).length,
    checkpointBytes: await pruneCheckpoints(folders.checkpoints, hashes, beforeMs),
  };
}

/**
 * Removes contents that no log refers to and that were saved before `beforeMs` since the epoch: the
 * log entry of a younger one may not be written yet. Returns the bytes freed.
 */
async function pruneCheckpoints(
  folder: string,
  referred: ReadonlySet<string>,
  beforeMs: number,
): Promise<number> {
  let freed = 0;
  for (const name of await readdir(folder).catch(() => []))
    for (const bytes of await removeOld(join(folder, name), referred, beforeMs)) freed += bytes;
  return freed;
}

/** Removes the files of a folder that are older than that and not among the names; returns their sizes. */
async function removeOld(
  folder: string,
  kept: ReadonlySet<string>,
  beforeMs: number,
): Promise<number[]> {
  const sizes: number[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    if (kept.has(name)) continue;
    const file = join(folder, name);
    const info = await stat(file).catch(() => null);
    if (!info?.isFile() || info.mtimeMs >= beforeMs) continue;
    await rm(file, { force: true });
    sizes.push(info.size);
  }
  return sizes;
}
