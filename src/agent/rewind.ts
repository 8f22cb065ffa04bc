import { blockText } from "../protocol/block.ts";
import { clipLine } from "../base/clip.ts";
import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import type { SessionLog } from "../log/log.ts";
import type { FileRewind } from "../snapshots/plan.ts";

/** The entries that moving the head to `to` leaves, and those it takes up on another branch. */
type Route = { left: readonly Entry[]; entered: readonly Entry[] };

/** Throws when the session has no such entry. `to` null is before the first entry. */
export function routeTo(log: Pick<SessionLog, "path" | "get">, to: EntryId | null): Route {
  const positions = new Map(log.path.map(({ id }, index) => [id, index]));
  const entered: Entry[] = [];
  let id = to;
  while (id !== null && !positions.has(id)) {
    const entry = log.get(id);
    if (!entry) throw new Error(`This session has no entry ${id} to rewind to.`);
    entered.unshift(entry);
    id = entry.parent;
  }
  const shared = id === null ? -1 : (positions.get(id) ?? -1);
  return { left: log.path.slice(shared + 1), entered };
}

export const toFileRewind = ({ left, entered }: Route): FileRewind => ({
  undo: left.filter(isCheckpoint),
  redo: entered.filter(isCheckpoint),
});

const isCheckpoint = (entry: Entry): entry is EntryOf<"checkpoint"> => entry.type === "checkpoint";

/** The transcript's line about the move: the message that it goes back before, or forward to. */
export function describeRoute({ left, entered }: Route): string {
  const isMessage = (entry: Entry): entry is EntryOf<"user"> => entry.type === "user";
  const latest = entered.findLast(isMessage);
  if (latest) return `Switched to the branch with “${excerpt(latest)}”`;
  const first = left.find(isMessage);
  return first ? `Rewound to before “${excerpt(first)}”` : "Rewound";
}

const maxChars = 60;

const excerpt = ({ content, typed }: EntryOf<"user">): string =>
  clipLine(typed ?? blockText(content), maxChars) || "(image)";
