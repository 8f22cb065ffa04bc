import { AsyncQueue } from "./async-queue.ts";

/**
 * Runs generators concurrently. Yields their values as they arrive; returns their results in the
 * order given. The first error is thrown after all generators have ended, so nothing keeps running.
 */
export async function* merge<T, R>(
  streams: readonly AsyncGenerator<T, R>[],
): AsyncGenerator<T, R[]> {
  const queue = new AsyncQueue<T>();
  const drain = async (stream: AsyncGenerator<T, R>): Promise<R> => {
    for (;;) {
      const step = await stream.next();
      if (step.done) return step.value;
      queue.push(step.value);
    }
  };
  const ends = Promise.allSettled(streams.map(drain)).then((settled) => {
    queue.close();
    return settled;
  });
  yield* queue;
  return (await ends).map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}
