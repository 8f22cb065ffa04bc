/** Keeps the last result of `make` until one of the keys is another value. */
export class Memo<T> {
  #last: { keys: readonly unknown[]; value: T } | null = null;

  get(keys: readonly unknown[], make: () => T): T {
    const last = this.#last;
    if (
      last &&
      last.keys.length === keys.length &&
      keys.every((key, i) => Object.is(key, last.keys[i]))
    )
      return last.value;
    const value = make();
    this.#last = { keys, value };
    return value;
  }
}
