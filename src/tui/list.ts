/**
 * A list that is never changed, only succeeded: replacing copies one chunk, not the whole, and
 * appending nothing, so a session of any length costs the same per entry.
 */

const chunkSize = 128;

/** An array, or what makes an element when it is asked for. */
export type Chunk<T> = { at(index: number): T | undefined };

/** Makes a full chunk small. */
export type Pack<T> = (chunk: readonly T[]) => Chunk<T>;

export type List<T> = {
  readonly length: number;
  readonly chunks: readonly Chunk<T>[];
  readonly pack: Pack<T>;
  /** The last, unfilled chunk; successors share it, so only what `length` counts is this list's. */
  readonly tail: T[];
};

const asItIs = <T>(chunk: readonly T[]): Chunk<T> => chunk;

/** A fresh one each: what is appended goes into its own tail. */
export const emptyList = <T>(pack: Pack<T> = asItIs): List<T> => ({
  length: 0,
  chunks: [],
  pack,
  tail: [],
});

export function push<T>(list: List<T>, item: T): List<T> {
  const own = list.length % chunkSize;
  // Another successor has appended already: continue in a copy.
  const tail = list.tail.length === own ? list.tail : list.tail.slice(0, own);
  tail.push(item);
  const length = list.length + 1;
  return tail.length < chunkSize
    ? { ...list, length, tail }
    : { ...list, length, chunks: [...list.chunks, list.pack(tail)], tail: [] };
}

export function at<T>(list: List<T>, index: number): T | undefined {
  if (index >= list.length) return undefined;
  const chunk = Math.floor(index / chunkSize);
  const source = chunk === list.chunks.length ? list.tail : list.chunks[chunk];
  return source?.at(index % chunkSize);
}

export function put<T>(list: List<T>, index: number, item: T): List<T> {
  const chunk = Math.floor(index / chunkSize);
  const offset = index % chunkSize;
  if (index >= list.length) return list;
  if (chunk === list.chunks.length) {
    const tail = list.tail.slice(0, list.length % chunkSize);
    tail[offset] = item;
    return { ...list, tail };
  }
  const old = list.chunks[chunk];
  return old === undefined
    ? list
    : { ...list, chunks: list.chunks.with(chunk, list.pack(unpacked(old).with(offset, item))) };
}

export const last = <T>(list: List<T>): T | undefined => at(list, list.length - 1);

export function* itemsOf<T>(list: List<T>): Generator<T> {
  for (const chunk of list.chunks) yield* unpacked(chunk);
  yield* list.tail.slice(0, list.length % chunkSize);
}

function unpacked<T>(chunk: Chunk<T>): T[] {
  const items: T[] = [];
  for (let index = 0; index < chunkSize; index++) {
    const item = chunk.at(index);
    if (item !== undefined) items.push(item);
  }
  return items;
}
