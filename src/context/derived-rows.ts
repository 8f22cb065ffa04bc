import type { Entry } from "../protocol/entry.ts";
import { charsOf } from "./char-count.ts";
import { digestOf } from "./digest.ts";
import type { RowStates } from "./table-row.ts";
import type { Digest } from "./types.ts";

/** Facts about rows, computed once and kept until the rows change. */
export class DerivedRows {
  readonly #table: RowStates;
  readonly #sent: FirstRow;
  readonly #large: FirstRow;
  readonly #digests = new Map<number, Digest>();

  constructor(table: RowStates) {
    this.#table = table;
    this.#sent = new FirstRow((row) => isSentTurn(table, row));
    this.#large = new FirstRow((row) => isLargeResult(table, row));
  }

  /** The row's display or the content of its entry has changed. */
  changed(row: number): void {
    this.#sent.changed(row);
    this.#large.changed(row);
    this.#digests.delete(row);
  }

  /** See `View.sentFrom`. */
  sentFrom(end: number): number {
    return this.#sent.in(0, end);
  }

  /** See `View.oldestLarge`. */
  oldestLarge(end: number): number {
    return this.#large.in(this.sentFrom(end), end);
  }

  digestOf(row: number): Digest {
    let digest = this.#digests.get(row);
    if (digest === undefined) this.#digests.set(row, (digest = digestOf(this.#table.entryOf(row))));
    return digest;
  }
}

const turnTypes: ReadonlySet<Entry["type"]> = new Set(["user", "assistant", "result"]);

/** A row of the conversation that is sent, at least in part. */
function isSentTurn(table: RowStates, row: number): boolean {
  const shown = table.shownOf(row);
  return (shown === "whole" || shown === "replaced") && turnTypes.has(table.entryOf(row).type);
}

/** Tiers cut results larger than this first, in characters. */
const largeChars = 2_000;

const isLargeResult = (table: RowStates, row: number): boolean =>
  table.shownOf(row) === "whole" &&
  charsOf(table.charsOf(row)) > largeChars &&
  table.entryOf(row).type === "result" &&
  !table.isPinned(row);

/** Finds the first row that passes a test. A row that failed is not tested again until it changes. */
class FirstRow {
  readonly #passes: (row: number) => boolean;
  #first = 0;
  /** The first row is known to pass. */
  #isKnown = false;

  constructor(passes: (row: number) => boolean) {
    this.#passes = passes;
  }

  /**
   * The first passing row at or after `from`, before which there must be none; `end` if there is
   * none.
   */
  in(from: number, end: number): number {
    if (this.#isKnown && this.#first >= from) return this.#first;
    let row = Math.max(this.#first, from);
    while (row < end && !this.#passes(row)) row++;
    this.#isKnown = row < end;
    return (this.#first = row);
  }

  /** The row is shown differently now. */
  changed(row: number): void {
    if (row > this.#first) return;
    this.#first = row;
    this.#isKnown = false;
  }
}
