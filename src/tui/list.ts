/**
 * A list that is never changed, only succeeded: appending or replacing copies one chunk, not the
 * whole, so a session of any length costs the same per entry.
 */

const chunkSize = 64;

export type List<T> = {
  readonly length: number;
  readonly chunks: readonly (readonly T[])[];
  /** The last, unfilled chunk. */
  readonly tail: readonly T[];
};

export const emptyList: List<never> = { length: 0, chunks: [], tail: [] };

export function push<T>(list: List<T>, item: T): List<T> {
  const tail = [...list.tail, item];
  const length = list.length + 1;
  return tail.length < chunkSize
    ? { length, chunks: list.chunks, tail }
    : { length, chunks: [...list.chunks, tail], tail: [] };
}

export function at<T>(list: List<T>, index: number): T | undefined {
  const chunk = Math.floor(index / chunkSize);
  const source = chunk === list.chunks.length ? list.tail : list.chunks[chunk];
  return source?.[index % chunkSize];
}

export function put<T>(list: List<T>, index: number, item: T): List<T> {
  const chunk = Math.floor(index / chunkSize);
  const offset = index % chunkSize;
  if (chunk === list.chunks.length) return { ...list, tail: list.tail.with(offset, item) };
  const old = list.chunks[chunk];
  return old === undefined
    ? list
    : { ...list, chunks: list.chunks.with(chunk, old.with(offset, item)) };
}

export const last = <T>(list: List<T>): T | undefined => at(list, list.length - 1);

export function* itemsOf<T>(list: List<T>): Generator<T> {
  for (const chunk of list.chunks) yield* chunk;
  yield* list.tail;
}
