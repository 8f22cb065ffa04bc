/** Keeps the last result of `make` until one of the keys is another value. */
export class Memo<T> {
  #last: { keys: readonly unknown[]; value: T } | null = null;

  has(keys: readonly unknown[]): boolean {
    return this.#known(keys) !== null;
  }

  get(keys: readonly unknown[], make: () => T): T {
    const known = this.#known(keys);
    if (known) return known.value;
    const value = make();
    this.#last = { keys, value };
    return value;
  }

  #known(keys: readonly unknown[]): { value: T } | null {
    const last = this.#last;
    const isSame =
      last?.keys.length === keys.length && keys.every((key, i) => Object.is(key, last.keys[i]));
    return isSame ? last : null;
  }
}
