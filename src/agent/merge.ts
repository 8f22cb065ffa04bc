import { AsyncQueue } from "./async-queue.ts";

/**
 * Runs streams side by side and yields what they yield, in the order it arrives; returns what they
 * return, in the order they were given. The first error is thrown after every stream has ended, so
 * that nothing is still running behind the caller's back.
 */
export async function* merge<T, R>(
  streams: readonly AsyncGenerator<T, R>[],
): AsyncGenerator<T, R[]> {
  const channel = new AsyncQueue<T>();
  const drain = async (stream: AsyncGenerator<T, R>): Promise<R> => {
    for (;;) {
      const step = await stream.next();
      if (step.done) return step.value;
      channel.push(step.value);
    }
  };
  const ends = Promise.allSettled(streams.map(drain)).then((settled) => {
    channel.close();
    return settled;
  });
  yield* channel;
  return (await ends).map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}
