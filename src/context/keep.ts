/** Reads that an edit may still need: policy "economy" leaves them where they are. */

import type { EntryId } from "../protocol/entry.ts";
import { isResult } from "./protect.ts";
import type { View } from "./types.ts";

/** Files that were touched last. */
const recentFiles = 8;
/** Reads that show a part of a file and are short, in characters, cost little. */
const shortChars = 3_000;
const partsOfAFile = 3;
/** A file that no call touched for so long is not being worked on. */
const mostCallsSince = 200;

/**
 * The newest whole read of every file that is being worked on, and the newest parts that were read
 * since then. What lies before the newest whole read of a file is stale.
 */
export function usefulReads(view: View): Set<EntryId> {
  const rows = view.rows.filter(isResult).toReversed();
  const rank = new Map<string, number>();
  const written = new Set<string>();
  for (const { entry } of rows) {
    for (const { path, does } of entry.stamps ?? []) {
      if (!rank.has(path)) rank.set(path, rank.size);
      if (does === "write") written.add(path);
    }
  }
  const idle = callsSince(view);
  const useful = new Set<EntryId>();
  const readWhole = new Set<string>();
  const parts = new Map<string, number>();
  for (const { entry, wholeChars } of rows) {
    for (const { path, does, lines } of entry.stamps ?? []) {
      if (readWhole.has(path)) continue;
      const isRecent = (rank.get(path) ?? 0) < recentFiles;
      const part = parts.get(path) ?? 0;
      const isWhole = does === "read" && lines === undefined;
      if (isWhole) readWhole.add(path);
      if (!isWhole && part >= partsOfAFile) continue;
      const isShort = !isWhole && wholeChars <= shortChars;
      const inWork = (idle.get(path) ?? 0) <= mostCallsSince && (isRecent || written.has(path));
      const stays = does === "write" ? isRecent : isShort || inWork;
      if (!stays) continue;
      parts.set(path, part + 1);
      useful.add(entry.id);
    }
  }
  return useful;
}

/** Calls since each file was touched. */
function callsSince(view: View): Map<string, number> {
  const since = new Map<string, number>();
  let calls = 0;
  for (const { entry } of view.rows.toReversed()) {
    if (entry.type === "assistant") calls++;
    if (entry.type !== "result") continue;
    for (const { path } of entry.stamps ?? []) if (!since.has(path)) since.set(path, calls);
  }
  return since;
}
