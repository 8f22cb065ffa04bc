/** Which cuts stand, and what each does to the rows: the fold of cuts, restores and pins. */

import type { Change, Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { isAnswer } from "./blocks.ts";
import { callsOf } from "./pairs.ts";

type Cut = EntryOf<"cut">;
type Cover = Extract<Change, { kind: "cover" }>;
type Restore = EntryOf<"restore">;

/** A change as it bears on one row. */
export type RowEdit = {
  cut: Cut;
  change: Change;
  /** The first row of a cover: its text stands here. */
  leads: boolean;
  /** Pinned when the cover was made: quoted behind its text. */
  keeps: boolean;
};

/** Which cuts were taken back, and how far. */
export class Restores {
  readonly #whole = new Set<EntryId>();
  readonly #parts = new Map<EntryId, Set<EntryId>>();

  add({ cut, entry }: Restore): void {
    if (entry === undefined) this.#whole.add(cut);
    else this.#parts.set(cut, new Set([...(this.#parts.get(cut) ?? []), entry]));
  }

  /** Whether the cut still bears on `entry`. */
  stands(cut: Cut, entry: EntryId): boolean {
    return !this.isWhole(cut) && !this.#parts.get(cut.id)?.has(entry);
  }

  isWhole(cut: Cut): boolean {
    return this.#whole.has(cut.id);
  }
}

/** What the checks of a cut need to know of the path. Numbers are rows. */
export type Path = {
  indexOf(id: EntryId): number | undefined;
  entryAt(row: number): Entry | undefined;
  /** Rows of the results that an answer got. */
  resultsOf(row: number): readonly number[];
  /** A result that answers no call. */
  isOrphan(row: number): boolean;
};

/** Why a cut must not be applied, or null. A corrupt entry in a log must never break a session. */
export function rejectCut(cut: Cut, path: Path, standing: readonly Cut[]): string | null {
  for (const change of cut.changes) {
    const reason =
      change.kind === "cover" ? rejectCover(change, path, standing) : rejectPoint(change, path);
    if (reason !== null) return reason;
  }
  return cut.changes.length === 0 ? "it changes nothing" : null;
}

function rejectPoint(change: Exclude<Change, { kind: "cover" }>, path: Path): string | null {
  const row = path.indexOf(change.entry);
  if (row === undefined) return `entry ${change.entry} is not on the path`;
  const entry = path.entryAt(row);
  if (change.kind === "replace") {
    if (entry?.type !== "result") return `entry ${change.entry} is no tool result`;
    return path.isOrphan(row) ? `result ${change.entry} answers no call` : null;
  }
  return callsOf(entry).includes(change.toolUse)
    ? null
    : `entry ${change.entry} makes no call ${change.toolUse}`;
}

function rejectCover(cover: Cover, path: Path, standing: readonly Cut[]): string | null {
  const { span, text, block } = cover;
  const name = `span ${span.from}-${span.to}`;
  const from = path.indexOf(span.from);
  const to = path.indexOf(span.to);
  if (from === undefined || to === undefined) return `${name} is not on the path`;
  if (from > to) return `${name} runs backwards`;
  if (text.trim() === "" && !block) return `${name} gives way to nothing`;
  for (const other of standing.flatMap((cut) => spansOf(cut, path))) {
    const apart = other.to < from || other.from > to;
    const around = from <= other.from && to >= other.to;
    if (!apart && !around) return `${name} cuts through an earlier one`;
  }
  if (isInsideLoop(from, path)) return `${name} begins in the middle of a tool loop`;
  const outside = (row: number): boolean => row < from || row > to;
  for (let row = from; row <= to; row++) {
    if (path.resultsOf(row).some(outside)) return `${name} splits a call from its result`;
  }
  return null;
}

/**
 * Whether a row stands within a tool loop, behind its first call. A text in the place of what follows
 * would be taken for a word spoken into the loop, whose thinking has to be whole then.
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
