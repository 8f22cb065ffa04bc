import type { Entry, EntryId } from "../protocol/entry.ts";

/** The entries from the root to `head`; empty when `head` is null or unknown. */
export function pathTo(head: EntryId | null, byId: ReadonlyMap<EntryId, Entry>): Entry[] {
  const path: Entry[] = [];
  for (let id = head; id !== null;) {
    const entry = byId.get(id);
    if (!entry) break;
    path.push(entry);
    id = entry.parent;
  }
  return path.reverse();
}
