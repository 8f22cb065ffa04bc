/** The results that an edit may still need. */

import type { EntryId } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import { sentResults } from "../protect.ts";
import { touchesOf } from "../view/touches.ts";
import { callsFor, tuningOf, type Tuning } from "../tuning.ts";
import type { FileUse, Touch, View } from "../types.ts";

/** Newest partial reads of a file that are kept. */
const maxParts = 5;
/** The confirmation of a write stays relevant for this many calls. */
const newsCalls = 5;

/**
 * The newest whole read of every file in use, and the newest parts that were read since. Files that
 * were edited are kept longer, and long reads are kept for less time, because reading them again
 * costs less than carrying them.
 */
export function neededReads(view: View, policy: Pick<Policy, "policy" | "balance">): Set<EntryId> {
  const tuning = tuningOf(policy);
  return tuning.protects ? findNeeded(view, tuning) : new Set();
}

function findNeeded(view: View, tuning: Tuning): Set<EntryId> {
  const useful = new Set<EntryId>();
  const readWhole = new Set<string>();
  const parts = new Map<string, number>();
  for (const row of sentResults(view).toReversed()) {
    for (const touch of touchesOf(view, row)) {
      const { path, does, isPart } = touch;
      const file = view.fileUse(path);
      if (!file || readWhole.has(path)) continue;
      const isWhole = does === "read" && !isPart;
      if (isWhole) readWhole.add(path);
      const part = parts.get(path) ?? 0;
      if (!isWhole && part >= maxParts) continue;
      if (file.callsSince > callsToKeep(touch, file, row.wholeChars, tuning)) continue;
      useful.add(row.entry.id);
      if (does === "read") parts.set(path, part + 1);
    }
  }
  return useful;
}

function callsToKeep(
  { does }: Touch,
  { edited }: FileUse,
  chars: number,
  { editedFiles, readFiles }: Tuning,
): number {
  if (does === "write") return newsCalls;
  return callsFor(chars, edited ? editedFiles : readFiles);
}
