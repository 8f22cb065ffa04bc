/** Keeps the last result of `make` until one of the keys is another value. */
export class Memo<T> {
  #last: { keys: readonly unknown[]; value: T } | null = null;

  has(keys: readonly unknown[]): boolean {
    const known = this.#last?.keys;
    return known?.length === keys.length && keys.every((key, i) => Object.is(key, known[i]));
  }

  get(keys: readonly unknown[], make: () => T): T {
    if (this.#last && this.has(keys)) return this.#last.value;
    const value = make();
    this.#last = { keys, value };
    return value;
  }
}
