import type { Entry, EntryId } from "../src/protocol/entry.ts";

/**
 * The entries from the root to `head`; empty when `head` is null or unknown. `entries`: of all
 * branches, a parent always before its children.
 */
export function pathTo(head: EntryId | null, entries: readonly Entry[]): Entry[] {
  const path: Entry[] = [];
  let id = head;
  for (let at = entries.length - 1; at >= 0 && id !== null; at--) {
    const entry = entries[at];
    if (!entry || entry.id !== id) continue;
    path.push(entry);
    id = entry.parent;
  }
  return path.reverse();
}
