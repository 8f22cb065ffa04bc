/** Results that later ones replace. */

import type { EntryId, FileStamp } from "../protocol/entry.ts";
import { sentResults } from "./protect.ts";
import type { View } from "./types.ts";

/** Reads of a file that was written since, or read again to at least the same extent. */
export function supersededReads(view: View): Set<EntryId> {
  const stale = new Set<EntryId>();
  const later = new Map<string, FileStamp[]>();
  for (const row of sentResults(view).toReversed()) {
    const stamps = row.entry.stamps ?? [];
    const reads = stamps.filter((stamp) => stamp.does === "read");
    if (reads.length > 0 && reads.length === stamps.length) {
      const gone = reads.every((read) =>
        later.get(read.path)?.some((stamp) => outdates(stamp, read)),
      );
      if (gone) stale.add(row.entry.id);
    }
    for (const stamp of stamps) later.set(stamp.path, [...(later.get(stamp.path) ?? []), stamp]);
  }
  return stale;
}

function outdates(later: FileStamp, read: FileStamp): boolean {
  if (later.does === "write" || !later.lines) return true;
  if (!read.lines) return false;
  return later.lines[0] <= read.lines[0] && later.lines[1] >= read.lines[1];
}

/** Results beyond the newest `keep` of each tool that `isKind` selects. */
export function surplusResults(
  view: View,
  keep: number,
  isKind: (tool: string) => boolean,
): Set<EntryId> {
  const surplus = new Set<EntryId>();
  const seen = new Map<string, number>();
  for (const row of sentResults(view).toReversed()) {
    const { tool, id } = row.entry;
    if (!isKind(tool)) continue;
    const count = (seen.get(tool) ?? 0) + 1;
    seen.set(tool, count);
    if (count > keep) surplus.add(id);
  }
  return surplus;
}
