/** An unbounded queue with any number of writers and one reader. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  #items: T[] = [];
  /** Does nothing when the reader is not waiting. */
  #wake: () => void = () => {};
  #closed = false;
  #error: Error | null = null;

  push(item: T): void {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wake();
  }

  /** The reader gets what is queued, then the end, or `error` thrown. */
  close(error?: Error): void {
    this.#closed = true;
    this.#error = error ?? null;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const items = this.#items;
      this.#items = [];
      yield* items;
      if (this.#items.length > 0) continue;
      if (this.#error) throw this.#error;
      if (this.#closed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
