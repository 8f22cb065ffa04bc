/** The one bookkeeping of cuts: which of them stand, and how each row is shown because of them. */

import type { ToolInput } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import { whyInseparable, type PairedPath } from "./pairs.ts";
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
  /** Earlier covers inside this one that stand too, in order of rows. */
  inner: readonly Cover[];
};

/** A cover as it applies to one row. */
export type RowCover = {
  cover: Cover;
  /** The first row of the cover, which shows its text. */
  isFirst: boolean;
  /** The row is quoted after the text. */
  preserves: boolean;
};

/** A cut that was valid when it was made. */
type AppliedCut = {
  readonly cut: Cut;
  readonly covers: readonly Cover[];
  /** Rows whose content it changes; its own if that shows what is kept beside a server's summary. */
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
  readonly pinnedRows: ReadonlySet<number>;
};

export class Cuts {
  readonly #path: CutPath;
  /** In the order of the path. */
  readonly #applied = new Map<EntryId, AppliedCut>();
  /** By row: changes of its own content, oldest first. */
  readonly #edits = new Map<number, { by: AppliedCut; change: PointChange }[]>();
  /** See `View`. */
  standing: Cut[] = [];
  covers: readonly Cover[] = [];

  constructor(path: CutPath) {
    this.#path = path;
  }

  /** Applies a cut, all of it. Returns the rows that it changes, or why it must not be applied. */
  apply(cut: Cut): ChangedRows | string {
    const reason = this.#whyInvalid(cut);
    if (reason !== null) return reason;
    const covers = cut.changes
      .filter((change) => change.kind === "cover")
      .map((change) => this.#createCover(cut, change));
    const overlapping = covers.find((cover) => !this.#cover(cover));
    if (overlapping) {
      this.#rebuild();
      return `${nameSpan(overlapping.change.span)} overlaps an earlier one`;
    }
    const rows = covers.some(({ change }) => change.kept !== undefined) ? [this.#row(cut.id)] : [];
    const applied = { cut, covers, rows, isUndone: false, undoneFor: new Set<EntryId>() };
    for (const change of cut.changes) {
      if (change.kind === "cover") continue;
      const row = this.#row(change.entry);
      this.#edits.set(row, [...(this.#edits.get(row) ?? []), { by: applied, change }]);
      rows.push(row);
    }
    this.#applied.set(cut.id, applied);
    this.standing.push(cut);
    return applied;
  }

  #createCover(cut: Cut, change: CoverChange): Cover {
    const from = this.#row(change.span.from);
    const to = this.#row(change.span.to);
    const pinned = new Set<number>();
    for (const row of this.#path.pinnedRows) if (row >= from && row <= to) pinned.add(row);
    return { cut, change, from, to, pinned, inner: [] };
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
    if (this.#rebuild()) return applied;
    applied.isUndone = before;
    this.#rebuild();
    return `${cut} cannot apply again: a later summary overlaps it`;
  }

  /** Returns whether all covers that stand can. */
  #rebuild(): boolean {
    const standing = [...this.#applied.values()].filter(({ isUndone }) => !isUndone);
    this.standing = standing.map(({ cut }) => cut);
    this.covers = [];
    return standing.flatMap(({ covers }) => covers).every((cover) => this.#cover(cover));
  }

  /** Adds a cover over those that it holds. Returns false if it overlaps another one. */
  #cover(cover: Cover): boolean {
    const before = this.covers.filter(({ to }) => to < cover.from);
    const after = this.covers.filter(({ from }) => from > cover.to);
    cover.inner = this.covers.filter((other) => holds(cover, other));
    const isFree = before.length + cover.inner.length + after.length === this.covers.length;
    this.covers = [...before, cover, ...after];
    return isFree;
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
    const cover = coverAt(this.covers, row);
    return cover && { cover, isFirst: row === cover.from, preserves: preserves(cover, row) };
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
    const name = nameSpan(span);
    const from = this.#path.indexOf(span.from);
    const to = this.#path.indexOf(span.to);
    if (from === undefined || to === undefined) return `${name} is not on the path`;
    if (from > to) return `${name} runs backwards`;
    if (text.trim() === "" && !block) return `${name} has no replacement text`;
    const reason = whyInseparable(from, to, this.#path);
    return reason === null ? null : `${name} ${reason}`;
  }
}

type Rows = Pick<Cover, "from" | "to">;

const holds = (outer: Rows, inner: Rows): boolean =>
  outer.from <= inner.from && inner.to <= outer.to;

const nameSpan = ({ from, to }: CoverChange["span"]): string => `span ${from}-${to}`;

/** The cover of a row; `covers`: in order of rows, none inside another. */
export function coverAt(covers: readonly Cover[], row: number): Cover | undefined {
  let [low, high] = [0, covers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((covers[middle]?.to ?? row) < row) low = middle + 1;
    else high = middle;
  }
  const cover = covers[low];
  return cover && cover.from <= row ? cover : undefined;
}

function preserves({ pinned, inner }: Cover, row: number): boolean {
  const below = coverAt(inner, row);
  return pinned.has(row) && (!below || preserves(below, row));
}

/** The rows that a cover decides about; inside an earlier cover, only the rows still shown there. */
export function* ownRows({ from, to, inner }: Cover): Generator<number, void> {
  let row = from;
  for (const below of inner) {
    while (row <= below.from) yield row++;
    yield* below.pinned;
    row = below.to + 1;
  }
  while (row <= to) yield row++;
}

const isUndoneFor = ({ isUndone, undoneFor }: AppliedCut, entry: EntryId): boolean =>
  isUndone || undoneFor.has(entry);
