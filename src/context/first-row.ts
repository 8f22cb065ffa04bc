/** The first row that passes a test. A row that did not is not looked at again until it changes. */
export class FirstRow {
  readonly #passes: (row: number) => boolean;
  #first = 0;

  constructor(passes: (row: number) => boolean) {
    this.#passes = passes;
  }

  /** From `from` on, which none of the passing rows is before; `end` if there is none. */
  in(from: number, end: number): number {
    let row = Math.max(this.#first, from);
    while (row < end && !this.#passes(row)) row++;
    return (this.#first = row);
  }

  /** What is shown of the row is not what it was. */
  changed(row: number): void {
    this.#first = Math.min(this.#first, row);
  }
}
