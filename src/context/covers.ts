/** Which rows summaries cover. A cover is one record, however many rows it spans. */

import type { Change, EntryId, EntryOf } from "../protocol/entry.ts";

export type CoverChange = Extract<Change, { kind: "cover" }>;

type Cover = {
  cut: EntryOf<"cut">;
  change: CoverChange;
  /** First and last row. */
  from: number;
  to: number;
  /** Rows that were pinned when the cover was made: quoted after its text. */
  pinned: ReadonlySet<number>;
};

/** A cover as it applies to one row. */
export type RowCover = Pick<Cover, "cut" | "change"> & {
  /** Its text is shown in its first row. */
  isFirst: boolean;
  /** The row is quoted after the text. */
  preserves: boolean;
};

export class Covers {
  /** Active ones, oldest first. A later one never begins or ends inside an earlier one. */
  #covers: Cover[] = [];
  /** Last row of all covers. */
  #to = -1;

  add(cover: Cover): void {
    this.#covers.push(cover);
    this.#to = Math.max(this.#to, cover.to);
  }

  /** Removes the covers of a cut; returns the rows that they covered. */
  remove(cut: EntryId): number[] {
    const removed = this.#covers.filter((cover) => cover.cut.id === cut);
    this.#covers = this.#covers.filter((cover) => cover.cut.id !== cut);
    return removed.flatMap(({ from, to }) => rowsBetween(from, to));
  }

  /**
   * The latest cover of a row. A cover can only be undone as a whole, because its text speaks for all
   * of it. It preserves a row only if every cover below it does.
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

const asRowCover = ({ cut, change, from }: Cover, row: number, preserves: boolean): RowCover => ({
  cut,
  change,
  isFirst: row === from,
  preserves,
});

/** Both included. */
export const rowsBetween = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);
