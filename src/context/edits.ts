/** Which cuts are active, and which must not be applied. */

import type { Change, Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";
import type { CoverChange } from "./covers.ts";
import { callsOf } from "./pairs.ts";

type Cut = EntryOf<"cut">;
type Restore = EntryOf<"restore">;

/** A change of one row's own content. */
export type RowEdit = { cut: Cut; change: Exclude<Change, CoverChange> };

/** Which cuts were undone, fully or for single entries. */
export class Restores {
  readonly #whole = new Set<EntryId>();
  readonly #parts = new Map<EntryId, Set<EntryId>>();

  add({ cut, entry }: Restore): void {
    if (entry === undefined) this.#whole.add(cut);
    else this.#parts.set(cut, new Set([...(this.#parts.get(cut) ?? []), entry]));
  }

  /** Whether the cut still applies to `entry`. */
  isActive(cut: Cut, entry: EntryId): boolean {
    return !this.isUndone(cut) && !this.#parts.get(cut.id)?.has(entry);
  }

  isUndone(cut: Cut): boolean {
    return this.#whole.has(cut.id);
  }
}

/** What the checks of a cut need to know about the path. Numbers are rows. */
export type Path = {
  indexOf(id: EntryId): number | undefined;
  entryAt(row: number): Entry | undefined;
  /** Rows of an answer's tool results. */
  resultsOf(row: number): readonly number[];
  /** A result that answers no call. */
  isOrphan(row: number): boolean;
};

/** Why a cut must not be applied, or null. A corrupt log entry must never break a session. */
export function rejectCut(cut: Cut, path: Path, active: readonly Cut[]): string | null {
  for (const change of cut.changes) {
    const reason =
      change.kind === "cover" ? rejectCover(change, path, active) : rejectPoint(change, path);
    if (reason !== null) return reason;
  }
  return cut.changes.length === 0 ? "it changes nothing" : null;
}

function rejectPoint(change: RowEdit["change"], path: Path): string | null {
  const row = path.indexOf(change.entry);
  if (row === undefined) return `entry ${change.entry} is not on the path`;
  const entry = path.entryAt(row);
  if (change.kind === "replace") {
    const hasText = entry?.type === "user" || entry?.type === "context" || entry?.type === "result";
    if (!hasText) return `entry ${change.entry} has no text to replace`;
    return path.isOrphan(row) ? `result ${change.entry} answers no call` : null;
  }
  return callsOf(entry).includes(change.toolUse)
    ? null
    : `entry ${change.entry} makes no call ${change.toolUse}`;
}

function rejectCover(cover: CoverChange, path: Path, active: readonly Cut[]): string | null {
  const { span, text, block } = cover;
  const name = `span ${span.from}-${span.to}`;
  const from = path.indexOf(span.from);
  const to = path.indexOf(span.to);
  if (from === undefined || to === undefined) return `${name} is not on the path`;
  if (from > to) return `${name} runs backwards`;
  if (text.trim() === "" && !block) return `${name} has no replacement text`;
  for (const other of active.flatMap((cut) => spansOf(cut, path))) {
    const apart = other.to < from || other.from > to;
    const around = from <= other.from && to >= other.to;
    if (!apart && !around) return `${name} overlaps an earlier one`;
  }
  if (isInsideLoop(from, path)) return `${name} begins in the middle of a tool loop`;
  const outside = (row: number): boolean => row < from || row > to;
  for (let row = from; row <= to; row++) {
    if (path.resultsOf(row).some(outside)) return `${name} splits a call from its result`;
  }
  return null;
}

/**
 * Whether a row is inside a tool loop, after its first call. A summary that starts there would read
 * as a user message sent into the loop, whose thinking must then be complete.
 */
export function isInsideLoop(row: number, path: Pick<Path, "entryAt">): boolean {
  for (let at = row - 1; at >= 0; at--) {
    const entry = path.entryAt(at);
    if (entry?.type === "result") return true;
    if (isAnswer(entry)) return callsOf(entry).length > 0;
  }
  return false;
}

/** The rows that a cut covers. */
function spansOf({ changes }: Cut, path: Path): { from: number; to: number }[] {
  return changes.flatMap((change) => {
    if (change.kind !== "cover") return [];
    const from = path.indexOf(change.span.from);
    const to = path.indexOf(change.span.to);
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
}
