/** Which cuts are active, and which must not be applied. */

import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import type { ToolInput } from "../../protocol/block.ts";
import { whyInseparable, type PairedPath } from "../rules/pairs.ts";
import { callsOf, type RowDisplay } from "./blocks.ts";
import type { CoverChange, CoveredRows } from "./covers.ts";

type Cut = EntryOf<"cut">;
type Restore = EntryOf<"restore">;

type PointChange = Exclude<Change, CoverChange>;

/** Which cuts were undone, fully or for single entries. */
class Restores {
  readonly #whole = new Set<EntryId>();
  readonly #parts = new Map<EntryId, Set<EntryId>>();
  /** Entries with a replacement that was undone, and how often. */
  readonly #entries = new Map<EntryId, number>();

  add({ entry }: Restore, cut: Cut): void {
    const { id } = cut;
    if (entry === undefined) this.#whole.add(id);
    else this.#parts.set(id, new Set([...(this.#parts.get(id) ?? []), entry]));
    this.#count(cut, entry, 1);
  }

  /** Takes an undoing back. Returns false when there is none. */
  remove({ entry }: Restore, cut: Cut): boolean {
    const undone = entry === undefined ? this.#whole : this.#parts.get(cut.id);
    if (!undone?.delete(entry ?? cut.id)) return false;
    this.#count(cut, entry, -1);
    return true;
  }

  #count({ changes }: Cut, only: EntryId | undefined, by: number): void {
    for (const change of changes) {
      if (change.kind === "cover" || (only ?? change.entry) !== change.entry) continue;
      this.#entries.set(change.entry, (this.#entries.get(change.entry) ?? 0) + by);
    }
  }

  /** Whether a replacement in this entry was undone. */
  isRestored = (entry: EntryId): boolean => (this.#entries.get(entry) ?? 0) > 0;

  /** Whether the cut still applies to `entry`. */
  isActive(cut: Cut, entry: EntryId): boolean {
    return !this.isUndone(cut) && !this.#parts.get(cut.id)?.has(entry);
  }

  isUndone(cut: Cut): boolean {
    return this.#whole.has(cut.id);
  }
}

/** Replacements of rows' own content, and which of them were undone. */
export class RowEdits {
  readonly restores = new Restores();
  /** By row: its edits, oldest first. */
  readonly #edits = new Map<number, { cut: Cut; change: PointChange }[]>();

  add(row: number, cut: Cut, change: PointChange): void {
    this.#edits.set(row, [...(this.#edits.get(row) ?? []), { cut, change }]);
  }

  has(row: number): boolean {
    return this.#edits.has(row);
  }

  /** The rows that a cut edits. */
  rowsOf({ id }: Cut): number[] {
    return [...this.#edits].flatMap(([row, edits]) =>
      edits.some(({ cut }) => cut.id === id) ? [row] : [],
    );
  }

  /** The latest active replacement of the row's content and of each input. */
  displayOf(row: number, entry: EntryId): RowDisplay & { by?: EntryId | undefined } {
    const inputs = new Map<string, ToolInput>();
    let text: string | undefined;
    let by: EntryId | undefined;
    for (const { cut, change } of this.#edits.get(row)?.toReversed() ?? []) {
      if (!this.restores.isActive(cut, entry)) continue;
      by ??= cut.id;
      if (change.kind === "replace") text ??= change.text;
      else if (!inputs.has(change.toolUse)) inputs.set(change.toolUse, change.input);
    }
    return { text, by, inputs };
  }
}

/** What the checks of a cut need to know about the path. Numbers are rows. */
export type Path = PairedPath & {
  indexOf(id: EntryId): number | undefined;
  /** The outermost covers, in the order of their rows. */
  readonly covers: readonly CoveredRows[];
};

/** Why a cut must not be applied, or null. A corrupt log entry must never break a session. */
export function rejectCut(cut: Cut, path: Path): string | null {
  for (const change of cut.changes) {
    const reason = change.kind === "cover" ? rejectCover(change, path) : rejectPoint(change, path);
    if (reason !== null) return reason;
  }
  return cut.changes.length === 0 ? "it changes nothing" : null;
}

function rejectPoint(change: PointChange, path: Path): string | null {
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

function rejectCover(cover: CoverChange, path: Path): string | null {
  const { span, text, block } = cover;
  const name = `span ${span.from}-${span.to}`;
  const from = path.indexOf(span.from);
  const to = path.indexOf(span.to);
  if (from === undefined || to === undefined) return `${name} is not on the path`;
  if (from > to) return `${name} runs backwards`;
  if (text.trim() === "" && !block) return `${name} has no replacement text`;
  for (const other of path.covers) {
    const apart = other.to < from || other.from > to;
    const around = from <= other.from && to >= other.to;
    if (!apart && !around) return `${name} overlaps an earlier one`;
  }
  const reason = whyInseparable(from, to, path);
  return reason === null ? null : `${name} ${reason}`;
}
