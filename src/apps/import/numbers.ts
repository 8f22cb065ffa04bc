/** A growing list of numbers, eight bytes each and invisible to the garbage collector. */
export class Numbers {
  #values = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns the index. */
  push(value: number): number {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    return this.#length++;
  }

  /** -1 when there is none. */
  at = (index: number): number =>
    index >= 0 && index < this.#length ? (this.#values[index] ?? -1) : -1;

  set(index: number, value: number): void {
    if (index >= 0 && index < this.#length) this.#values[index] = value;
  }
}
