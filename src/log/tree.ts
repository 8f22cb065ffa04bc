import type { Entry, EntryId } from "../protocol/entry.ts";

/**
 * From the root to `head`. A parent that is missing, or that comes after its child, ends the path
 * there: what is left of a damaged log is still a conversation.
 */
export function pathTo(head: EntryId | null, byId: ReadonlyMap<EntryId, Entry>): Entry[] {
  const path: Entry[] = [];
  const seen = new Set<EntryId>();
  for (let id = head; id !== null && !seen.has(id);) {
    const entry = byId.get(id);
    if (!entry) break;
    seen.add(id);
    path.push(entry);
    id = entry.parent;
  }
  return path.reverse();
}

/** The last entry of every branch, in the order of the log. */
export function tips(entries: readonly Entry[]): Entry[] {
  const parents = new Set(entries.map((entry) => entry.parent));
  return entries.filter((entry) => !parents.has(entry.id));
}
