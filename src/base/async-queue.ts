/** Streams of events: a queue, and generators that run at the same time. */

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

  /** The reader gets the queued items, then the end or `error` thrown. */
  close(error?: Error): void {
    this.#closed = true;
    this.#error = error ?? null;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const items = this.#items;
      this.#items = [];
      // Not `yield*`, which would await each item once more.
      for (const item of items) yield item;
      if (this.#items.length > 0) continue;
      if (this.#error) throw this.#error;
      if (this.#closed) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** Emits the items of a stream; resolves with its return value. */
export async function forward<T, R>(
  stream: AsyncGenerator<T, R>,
  emit: (item: T) => void,
): Promise<R> {
  for (;;) {
    const step = await stream.next();
    if (step.done) return step.value;
    emit(step.value);
  }
}

/** Yields what `work` emits until it ends; returns its result. */
export async function* emitted<T, R>(
  work: (emit: (item: T) => void) => Promise<R>,
): AsyncGenerator<T, R> {
  const queue = new AsyncQueue<T>();
  const result = work((item) => queue.push(item)).finally(() => queue.close());
  yield* queue;
  return await result;
}

/**
 * Runs generators concurrently. Yields their values as they arrive; returns their results in the
 * order given. The first error is thrown after all generators have ended, so nothing keeps running.
 */
export async function* merge<T, R>(
  streams: readonly AsyncGenerator<T, R>[],
): AsyncGenerator<T, R[]> {
  const ends = yield* emitted<T, PromiseSettledResult<R>[]>((emit) =>
    Promise.allSettled(streams.map((stream) => forward(stream, emit))),
  );
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}
