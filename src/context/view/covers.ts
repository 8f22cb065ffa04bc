/** Which rows summaries cover. A cover is one record, however many rows it spans. */

import type { Block } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";

export type CoverChange = Extract<Change, { kind: "cover" }>;

export type Cover = {
  readonly cut: EntryOf<"cut">;
  /** The row of the cut, which orders covers. */
  readonly at: number;
  readonly change: CoverChange;
  /** First and last row. */
  readonly from: number;
  readonly to: number;
  /** Rows that were pinned when the cover was made: quoted after its text. */
  readonly pinned: ReadonlySet<number>;
};

/** The rows of a cover. */
export type CoveredRows = Pick<Cover, "cut" | "from" | "to" | "pinned">;

/** A cover as it applies to one row. */
export type RowCover = {
  cover: Cover;
  /** Its text is shown in its first row. */
  isFirst: boolean;
  /** The row is quoted after the text. */
  preserves: boolean;
};

export class Covers {
  /** Active ones, oldest first. A later one never begins or ends inside an earlier one. */
  #covers: Cover[] = [];
  /** Those that are not inside another, in the order of their rows. */
  outermost: readonly Cover[] = [];
  /** Last row of all covers. */
  #to = -1;

  /** Returns the rows that it changes: what earlier covers hide stays hidden. */
  add(cover: Cover): number[] {
    const changed: number[] = [];
    for (let row = cover.from; row <= cover.to; row = this.after(row)) changed.push(row);
    this.#covers.push(cover);
    this.#to = Math.max(this.#to, cover.to);
    this.outermost = withCover(this.outermost, cover);
    return changed;
  }

  /** Removes the covers of a cut, and returns them. */
  remove(cut: EntryId): Cover[] {
    const removed = this.#covers.filter((cover) => cover.cut.id === cut);
    this.#covers = this.#covers.filter((cover) => cover.cut.id !== cut);
    this.outermost = this.#covers.reduce<readonly Cover[]>(withCover, []);
    return removed;
  }

  /** Puts removed covers back in their places. Returns false if a later one overlaps them in part. */
  putBack(covers: readonly Cover[]): boolean {
    if (covers.some((cover) => this.#covers.some((other) => crosses(cover, other)))) return false;
    this.#covers = [...this.#covers, ...covers].sort((a, b) => a.at - b.at);
    this.#to = Math.max(this.#to, ...covers.map(({ to }) => to));
    this.outermost = this.#covers.reduce<readonly Cover[]>(withCover, []);
    return true;
  }

  /** The next row after this one that may be sent: all but the first row of a cover are not. */
  after(row: number): number {
    const next = row + 1;
    const cover = this.outermost.find(({ from, to }) => from < next && next <= to);
    return cover && cover.pinned.size === 0 ? cover.to + 1 : next;
  }

  /**
   * The latest cover of a row. A cover can only be undone as a whole, because its text stands for
   * all of it. It preserves a row only if every cover below it does.
   */
  of(row: number): RowCover | undefined {
    if (row > this.#to) return undefined;
    let latest: Cover | undefined;
    for (let at = this.#covers.length - 1; at >= 0; at--) {
      const cover = this.#covers[at];
      if (!cover || row < cover.from || row > cover.to) continue;
      latest ??= cover;
      if (!cover.pinned.has(row)) return asRowCover(latest, row, false);
    }
    return latest && asRowCover(latest, row, true);
  }
}

/** What replaces a covered span. */
export const summaryBlocks = ({ cover: { change } }: RowCover): Block[] =>
  change.block ? [change.block] : [{ type: "text", text: change.text }];

/** A cover takes the place of those inside it. */
function withCover(covers: readonly Cover[], cover: Cover): readonly Cover[] {
  const rest = covers.filter(({ from, to }) => from < cover.from || to > cover.to);
  return [...rest, cover].sort((a, b) => a.from - b.from);
}

const asRowCover = (cover: Cover, row: number, preserves: boolean): RowCover => ({
  cover,
  isFirst: row === cover.from,
  preserves,
});

/** They share rows, and the later one is not around the earlier one. */
function crosses(a: Cover, b: Cover): boolean {
  const [first, last] = a.at < b.at ? [a, b] : [b, a];
  const apart = last.to < first.from || last.from > first.to;
  return !apart && (last.from > first.from || last.to < first.to);
}

/** Both included. */
export const rowsBetween = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
