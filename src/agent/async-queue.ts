/** An unbounded queue between one or many writers and one reader. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #wake: (() => void) | null = null;
  #closed = false;
  #error: Error | null = null;

  push(item: T): void {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wake?.();
  }

  /** Lets the reader finish what is queued, then end; with an error, throw it. */
  close(error?: Error): void {
    this.#closed = true;
    this.#error = error ?? null;
    this.#wake?.();
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
      this.#wake = null;
    }
  }
}
