/** Finds the first row that passes a test. A row that failed is not tested again until it changes. */
export class FirstRow {
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
