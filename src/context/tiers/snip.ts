/**
 * Tier 2, "drop stale". Fires above 60 % of the window. Replaces a read of a file that was written or
 * read again since, and searches beyond the newest three of a kind, by a line that says how to get
 * them back: the call itself stays, so the model knows what it did. Never touches protected results
 * (`protect.ts`), nor the newest read of a file.
 */

import type { Change, EntryId } from "../../protocol/entry.ts";
import type { ResultRow } from "../view/rows.ts";
import { cuttableResults, neededReads, sentResults } from "./protect.ts";
import { replaceWhole } from "./replacement.ts";
import { isShell } from "../view/touches.ts";
import type { Signals, View } from "../types.ts";

const isSearch = (tool: string): boolean => tool === "Grep" || tool === "Glob" || isShell(tool);

export function snip(now: Signals): Change[] {
  const { view, reading, policy } = now;
  if (reading.utilization <= policy.snipAt) return [];
  const searches = surplusResults(view, policy.keepSearches);
  const stale = new Set([...supersededReads(view), ...searches]);
  const needed = neededReads(now);
  const rows = cuttableResults(view, policy.keepResults).filter(
    ({ entry }) => stale.has(entry.id) && !needed.has(entry.id),
  );
  return replaceWhole(view, rows, "snipped");
}

type ReadStamp = NonNullable<ResultRow["entry"]["stamps"]>[number];

/** Reads of a file that was written since, or read again to at least the same extent. */
function supersededReads(view: View): Set<EntryId> {
  const stale = new Set<EntryId>();
  const later = new Map<string, ReadStamp[]>();
  for (const { entry } of sentResults(view).toReversed()) {
    const { stamps = [] } = entry;
    const reads = stamps.filter((stamp) => stamp.does === "read");
    if (reads.length > 0 && reads.length === stamps.length) {
      const gone = reads.every((read) =>
        later.get(read.path)?.some((stamp) => outdates(stamp, read)),
      );
      if (gone) stale.add(entry.id);
    }
    for (const stamp of stamps) {
      const others = later.get(stamp.path);
      if (!others || outdatesAll(stamp)) later.set(stamp.path, [stamp]);
      else if (!others.some(outdatesAll)) others.push(stamp);
    }
  }
  return stale;
}

const outdatesAll = ({ does, lines }: ReadStamp): boolean => does === "write" || !lines;

function outdates(later: ReadStamp, read: ReadStamp): boolean {
  if (outdatesAll(later)) return true;
  if (!later.lines || !read.lines) return false;
  return later.lines[0] <= read.lines[0] && later.lines[1] >= read.lines[1];
}

/** Searches and command outputs beyond the newest `keep` of each tool. */
function surplusResults(view: View, keep: number): Set<EntryId> {
  const surplus = new Set<EntryId>();
  const seen = new Map<string, number>();
  for (const { entry } of sentResults(view).toReversed()) {
    const { tool, id } = entry;
    if (!isSearch(tool)) continue;
    const count = (seen.get(tool) ?? 0) + 1;
    seen.set(tool, count);
    if (count > keep) surplus.add(id);
  }
  return surplus;
}
