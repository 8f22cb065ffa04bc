import type { Entry, EntryId } from "../protocol/entry.ts";

/** From the root to `head`; empty for null. */
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

/** The children of every entry that has any, in the order of the log; those of null are roots. */
export function childrenOf(entries: readonly Entry[]): Map<EntryId | null, Entry[]> {
  const children = new Map<EntryId | null, Entry[]>();
  for (const entry of entries) {
    const siblings = children.get(entry.parent);
    if (siblings) siblings.push(entry);
    else children.set(entry.parent, [entry]);
  }
  return children;
}

export type Branch = {
  /** Its last entry: where to go on from. */
  tip: Entry;
  /** The entry at which it parts from the path to `head`; null: it shares nothing with it. */
  fork: EntryId | null;
};

/** Every branch but the one that `head` is on, latest first: what rewinds left behind. */
export function branchesBeside(
  head: EntryId | null,
  entries: readonly Entry[],
  byId: ReadonlyMap<EntryId, Entry>,
): Branch[] {
  const onPath = new Set<EntryId>(pathTo(head, byId).map(({ id }) => id));
  const parents = new Set(entries.map(({ parent }) => parent));
  const branches: Branch[] = [];
  for (const tip of entries) {
    if (parents.has(tip.id) || onPath.has(tip.id)) continue;
    let fork: EntryId | null = tip.parent;
    while (fork !== null && !onPath.has(fork)) fork = byId.get(fork)?.parent ?? null;
    branches.push({ tip, fork });
  }
  return branches.reverse();
}
