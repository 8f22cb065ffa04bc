/** Reads that an edit may still need: policy "economy" leaves them where they are. */

import type { EntryId, FileStamp } from "../protocol/entry.ts";
import { bySize, type EconomyTuning } from "./economy-tuning.ts";
import { isResult } from "./protect.ts";
import type { View } from "./types.ts";

/** Of the readings of parts of a file, the newest. */
const mostParts = 5;
/** The word that a file was written is news for so many calls. */
const newsCalls = 5;

/** A file as the calls so far have touched it. */
export type Touched = {
  /** Calls since then. */
  callsSince: number;
  edited: boolean;
};

/** Every file that calls have read or written, the one that was touched last first. */
export function touchedFiles(view: View): Map<string, Touched> {
  const files = new Map<string, Touched>();
  let callsSince = 0;
  for (const { entry } of view.rows.toReversed()) {
    if (entry.type === "assistant") callsSince++;
    if (entry.type !== "result") continue;
    for (const { path, does } of entry.stamps ?? []) {
      const file = files.get(path) ?? { callsSince, edited: false };
      files.set(path, { ...file, edited: file.edited || does === "write" });
    }
  }
  return files;
}

/**
 * The newest whole read of every file that is being worked on, and the newest parts that were read
 * since then. What lies before the newest whole read of a file is stale. A file that was edited is
 * likely to be edited again; the longer a reading is, the sooner it costs more than reading it anew.
 */
export function recentReads(view: View, pace: EconomyTuning): Set<EntryId> {
  const files = touchedFiles(view);
  const useful = new Set<EntryId>();
  const readWhole = new Set<string>();
  const parts = new Map<string, number>();
  for (const { entry, wholeChars } of view.rows.filter(isResult).toReversed()) {
    for (const stamp of entry.stamps ?? []) {
      const { path } = stamp;
      const file = files.get(path);
      if (!file || readWhole.has(path)) continue;
      const isWhole = stamp.does === "read" && stamp.lines === undefined;
      if (isWhole) readWhole.add(path);
      const part = parts.get(path) ?? 0;
      if (!isWhole && part >= mostParts) continue;
      if (file.callsSince > callsOf(stamp, file, wholeChars, pace)) continue;
      useful.add(entry.id);
      if (stamp.does === "read") parts.set(path, part + 1);
    }
  }
  return useful;
}

function callsOf(
  { does }: FileStamp,
  { edited }: Touched,
  chars: number,
  pace: EconomyTuning,
): number {
  if (does === "write") return newsCalls;
  return bySize(chars, edited ? pace.edited : pace.seen);
}
