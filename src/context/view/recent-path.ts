/** The part of a path that decides what is sent: without what the latest summary covers. */

import type { Change, Entry, EntryId } from "../../protocol/entry.ts";
import { callsOf, isAnswer } from "./blocks.ts";

/** Indexes in the path: of the span's ends, and of the cut. */
type Summary = { from: number; to: number; cut: number };

/**
 * A shorter path with the same messages, so that what the model saw at any moment of a long session
 * is found quickly. Only the messages are the same: not rows, tokens or bills. Returns the path
 * itself if it is not certain what may be left out. `rejected`: cuts that change nothing.
 */
export function recentPath(
  path: readonly Entry[],
  rejected: ReadonlySet<EntryId>,
): readonly Entry[] {
  const summary = latestSummary(path, rejected);
  if (!summary || !isSimple(path, summary)) return path;
  const { from, to } = summary;
  const answer = lastAnswer(path, to);
  const spanEnds = endsOfSpans(path);
  const isKept = ({ type }: Entry, index: number): boolean =>
    index <= from || index >= to || index === answer || lasting.has(type);
  const kept = new Map<EntryId, number>();
  for (const [index, entry] of path.entries()) if (isKept(entry, index)) kept.set(entry.id, index);
  return path.flatMap((entry, index): Entry[] => {
    if (entry.type !== "cut") return isKept(entry, index) ? [entry] : [];
    // A cut inside the span matters only for what comes before it.
    const before = index > from && index < to ? from : path.length;
    const has = (id: EntryId): boolean => (kept.get(id) ?? path.length) < before;
    const changes = rejected.has(entry.id) ? [] : entry.changes.filter((one) => isThere(one, has));
    if (changes.length > 0)
      return [changes.length === entry.changes.length ? entry : { ...entry, changes }];
    // What it cut is left out, but a span may end with it, and it ended the thinking before it.
    const { id, parent, at } = entry;
    const drops = index > summary.cut && !rejected.has(id);
    if (!drops && !spanEnds.has(id)) return [];
    return [{ id, parent, at, type: "repair", ...(drops && { dropsThinking: true }), blocks: [] }];
  });
}

/** The first and last entries of all spans that a summary covers. */
const endsOfSpans = (path: readonly Entry[]): ReadonlySet<EntryId> =>
  new Set(
    path.flatMap((entry) =>
      entry.type === "cut"
        ? entry.changes.flatMap((one) => (one.kind === "cover" ? [one.span.from, one.span.to] : []))
        : [],
    ),
  );

const isThere = (change: Change, has: (id: EntryId) => boolean): boolean =>
  change.kind === "cover" ? has(change.span.from) && has(change.span.to) : has(change.entry);

/** They change how later entries are sent. */
const lasting: ReadonlySet<Entry["type"]> = new Set(["session", "model", "restore", "repair"]);

/** The latest cut that is a summary and nothing else; null: there is none, or one was undone since. */
function latestSummary(path: readonly Entry[], rejected: ReadonlySet<EntryId>): Summary | null {
  const cut = path.findLastIndex(
    (entry) =>
      entry.type === "restore" ||
      (entry.type === "cut" &&
        !rejected.has(entry.id) &&
        entry.changes.some(({ kind }) => kind === "cover")),
  );
  const entry = path[cut];
  if (entry?.type !== "cut") return null;
  const [change] = entry.changes;
  if (change?.kind !== "cover" || entry.changes.length > 1) return null;
  // Both are on the path before the cut, or it would have been rejected.
  const at = (end: EntryId): number => path.findIndex(({ id }) => id === end);
  return { from: at(change.span.from), to: at(change.span.to), cut };
}

/**
 * Nothing before the cut has an effect after it: no pin, no open loop, no thinking that it removed.
 */
function isSimple(path: readonly Entry[], { to, cut }: Summary): boolean {
  const before = path.slice(0, cut);
  if (before.some(({ type }) => type === "pin")) return false;
  if (callsOf(path[lastAnswer(path, cut)]).length > 0) return false;
  const entry = path[cut];
  const isSigned =
    entry?.type === "cut" && entry.changes.some((one) => one.kind === "cover" && one.block);
  // The server's own summary removes no thinking, so what was removed before must be known.
  return !isSigned || !before.slice(to).some(({ type }) => type === "cut" || lasting.has(type));
}

/** The last answer at or before `at`; -1: there is none. */
const lastAnswer = (path: readonly Entry[], at: number): number =>
  path.slice(0, at + 1).findLastIndex(isAnswer);
