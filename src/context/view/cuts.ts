/** The one bookkeeping of cuts: which of them stand, and how each row is shown because of them. */

import type { ToolInput } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import { whyInseparable, type PairedPath } from "../rules/pairs.ts";
import { callIds, type RowDisplay } from "./blocks.ts";

type Cut = EntryOf<"cut">;
type Restore = EntryOf<"restore">;
type CoverChange = Extract<Change, { kind: "cover" }>;
type PointChange = Exclude<Change, CoverChange>;

/** Rows that a summary replaces. */
export type Cover = {
  readonly cut: Cut;
  readonly change: CoverChange;
  /** First and last row. */
  readonly from: number;
  readonly to: number;
  /** Rows that were pinned when the summary was made: quoted after its text. */
  readonly pinned: ReadonlySet<number>;
};

/** A cover as it applies to one row. */
export type RowCover = {
  cover: Cover;
  /** Its text is shown in its first row. */
  isFirst: boolean;
  /** The row is quoted after the text. */
  preserves: boolean;
};

/** A cut that was valid when it was made. */
type AppliedCut = {
  readonly cut: Cut;
  readonly covers: readonly Cover[];
  /** Rows whose content it changes, and its own, which shows what is kept beside a server's summary. */
  readonly rows: readonly number[];
  isUndone: boolean;
  /** Entries for which alone it was undone. */
  readonly undoneFor: Set<EntryId>;
};

/** Rows that change: single ones, and all those of covers. */
export type ChangedRows = Pick<AppliedCut, "rows" | "covers">;

const noRows: ChangedRows = { rows: [], covers: [] };

type CutPath = PairedPath & {
  indexOf(id: EntryId): number | undefined;
  isPinned(row: number): boolean;
};

export class Cuts {
  readonly #path: CutPath;
  /** In the order of the path. */
  readonly #applied = new Map<EntryId, AppliedCut>();
  /** By row: changes of its own content, oldest first. */
  readonly #edits = new Map<number, { by: AppliedCut; change: PointChange }[]>();
  /** Covers of cuts that stand, oldest first. A later one never begins or ends inside an earlier one. */
  #covers: readonly Cover[] = [];
  /** See `View`. */
  standing: readonly Cut[] = [];
  covers: readonly Cover[] = [];

  constructor(path: CutPath) {
    this.#path = path;
  }

  /** Applies a cut, all of it. Returns the rows that it changes, or why it must not be applied. */
  apply(cut: Cut): ChangedRows | string {
    const reason = this.#whyInvalid(cut);
    if (reason !== null) return reason;
    const covers: Cover[] = [];
    const rows = [this.#row(cut.id)];
    const applied = { cut, covers, rows, isUndone: false, undoneFor: new Set<EntryId>() };
    for (const change of cut.changes) {
      if (change.kind === "cover") {
        const from = this.#row(change.span.from);
        const to = this.#row(change.span.to);
        const pinned = new Set<number>();
        for (let row = from; row <= to; row++) if (this.#path.isPinned(row)) pinned.add(row);
        covers.push({ cut, change, from, to, pinned });
      } else {
        const row = this.#row(change.entry);
        this.#edits.set(row, [...(this.#edits.get(row) ?? []), { by: applied, change }]);
        rows.push(row);
      }
    }
    this.#applied.set(cut.id, applied);
    this.#update();
    return applied;
  }

  /**
   * Undoes a cut or takes that back, as a whole or for one entry. Returns the rows that change, or why
   * the cut cannot apply again.
   */
  restore({ cut, entry, redo: again }: Restore): ChangedRows | string {
    const applied = this.#applied.get(cut);
    if (!applied) return noRows;
    const { undoneFor } = applied;
    const redo = again === true;
    if (entry !== undefined) {
      if (applied.isUndone && !redo) return noRows;
      const isChange = redo ? undoneFor.delete(entry) : undoneFor.size < undoneFor.add(entry).size;
      const row = this.#path.indexOf(entry);
      const hasChanged = isChange && row !== undefined && this.#edits.has(row);
      return hasChanged ? { rows: [row], covers: [] } : noRows;
    }
    const before = applied.isUndone;
    if (before === !redo) return noRows;
    applied.isUndone = !redo;
    this.#update();
    if (!redo || !this.#covers.some(isCrossedByLater)) return applied;
    applied.isUndone = before;
    this.#update();
    return `${cut} cannot apply again: a later summary overlaps it`;
  }

  #update(): void {
    const standing = [...this.#applied.values()].filter(({ isUndone }) => !isUndone);
    this.standing = standing.map(({ cut }) => cut);
    this.#covers = standing.flatMap(({ covers }) => covers);
    this.covers = this.#covers
      .filter(
        (cover, at) => !this.#covers.some((later, after) => after > at && holds(later, cover)),
      )
      .sort((a, b) => a.from - b.from);
  }

  stands = (cut: EntryId): boolean => this.#applied.get(cut)?.isUndone === false;

  /** Whether a change of the row's own content was undone. */
  isRestored(row: number, entry: EntryId): boolean {
    return this.#edits.get(row)?.some(({ by }) => isUndoneFor(by, entry)) ?? false;
  }

  hasEdits(row: number): boolean {
    return this.#edits.has(row);
  }

  /** The latest standing change of the row's content and of each input; `by`: the cut that made it. */
  display(row: number, entry: EntryId): RowDisplay & { by?: EntryId | undefined } {
    const edits = this.#edits.get(row);
    if (!edits) return {};
    const inputs = new Map<string, ToolInput>();
    let text: string | undefined;
    let latest: EntryId | undefined;
    for (const { by, change } of edits.toReversed()) {
      if (isUndoneFor(by, entry)) continue;
      latest ??= by.cut.id;
      if (change.kind === "replace") text ??= change.text;
      else if (!inputs.has(change.toolUse)) inputs.set(change.toolUse, change.input);
    }
    return { text, by: latest, inputs };
  }

  /**
   * The latest cover of a row. A cover can only be undone as a whole, because its text stands for all of
   * it. It preserves a row only if every cover below it does.
   */
  findCover(row: number): RowCover | undefined {
    let latest: Cover | undefined;
    for (let at = this.#covers.length - 1; at >= 0; at--) {
      const cover = this.#covers[at];
      if (!cover || row < cover.from || row > cover.to) continue;
      latest ??= cover;
      if (!cover.pinned.has(row))
        return { cover: latest, isFirst: row === latest.from, preserves: false };
    }
    return latest && { cover: latest, isFirst: row === latest.from, preserves: true };
  }

  #row(id: EntryId): number {
    return this.#path.indexOf(id) ?? 0;
  }

  /** Why a cut must not be applied, or null. A corrupt entry must never break a session. */
  #whyInvalid({ changes }: Cut): string | null {
    for (const change of changes) {
      const reason =
        change.kind === "cover" ? this.#whyInvalidCover(change) : this.#whyInvalidEdit(change);
      if (reason !== null) return reason;
    }
    return changes.length === 0 ? "it changes nothing" : null;
  }

  #whyInvalidEdit(change: PointChange): string | null {
    const row = this.#path.indexOf(change.entry);
    if (row === undefined) return `entry ${change.entry} is not on the path`;
    const entry = this.#path.entryAt(row);
    if (change.kind === "replace") {
      const hasText =
        entry?.type === "user" || entry?.type === "context" || entry?.type === "result";
      if (!hasText) return `entry ${change.entry} has no text to replace`;
      return this.#path.isOrphan(row) ? `result ${change.entry} answers no call` : null;
    }
    return callIds(entry).includes(change.toolUse)
      ? null
      : `entry ${change.entry} makes no call ${change.toolUse}`;
  }

  #whyInvalidCover({ span, text, block }: CoverChange): string | null {
    const name = `span ${span.from}-${span.to}`;
    const from = this.#path.indexOf(span.from);
    const to = this.#path.indexOf(span.to);
    if (from === undefined || to === undefined) return `${name} is not on the path`;
    if (from > to) return `${name} runs backwards`;
    if (text.trim() === "" && !block) return `${name} has no replacement text`;
    const rows = { from, to };
    if (this.covers.some((other) => !areApart(other, rows) && !holds(rows, other)))
      return `${name} overlaps an earlier one`;
    const reason = whyInseparable(from, to, this.#path);
    return reason === null ? null : `${name} ${reason}`;
  }
}

type Rows = Pick<Cover, "from" | "to">;

const holds = (outer: Rows, inner: Rows): boolean =>
  outer.from <= inner.from && inner.to <= outer.to;

const areApart = (a: Rows, b: Rows): boolean => a.to < b.from || b.to < a.from;

const isCrossedByLater = (cover: Cover, at: number, covers: readonly Cover[]): boolean =>
  covers.some((later, after) => after > at && !areApart(cover, later) && !holds(later, cover));

const isUndoneFor = ({ isUndone, undoneFor }: AppliedCut, entry: EntryId): boolean =>
  isUndone || undoneFor.has(entry);
