/** Results that later ones replace. */

import type { EntryId } from "../protocol/entry.ts";
import { sentResults } from "./protect.ts";
import type { ResultDigest, View } from "./types.ts";

type Stamp = ResultDigest["stamps"][number];

/** Reads of a file that was written since, or read again to at least the same extent. */
export function supersededReads(view: View): Set<EntryId> {
  const stale = new Set<EntryId>();
  const later = new Map<string, Stamp[]>();
  for (const { digest } of sentResults(view).toReversed()) {
    const { stamps } = digest;
    const reads = stamps.filter((stamp) => stamp.does === "read");
    if (reads.length > 0 && reads.length === stamps.length) {
      const gone = reads.every((read) =>
        later.get(read.path)?.some((stamp) => outdates(stamp, read)),
      );
      if (gone) stale.add(digest.id);
    }
    for (const stamp of stamps) {
      const others = later.get(stamp.path);
      if (!others || outdatesAll(stamp)) later.set(stamp.path, [stamp]);
      else if (!others.some(outdatesAll)) others.push(stamp);
    }
  }
  return stale;
}

const outdatesAll = ({ does, lines }: Stamp): boolean => does === "write" || !lines;

function outdates(later: Stamp, read: Stamp): boolean {
  if (outdatesAll(later)) return true;
  if (!later.lines || !read.lines) return false;
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
    const { tool, id } = row.digest;
    if (!isKind(tool)) continue;
    const count = (seen.get(tool) ?? 0) + 1;
    seen.set(tool, count);
    if (count > keep) surplus.add(id);
  }
  return surplus;
}
