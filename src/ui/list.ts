/**
 * An immutable list: replacing an element copies one chunk, appending copies nothing, so an entry
 * costs the same in a session of any length.
 */

const chunkSize = 128;

/** An array, or an object that makes its elements on demand. */
export type Chunk<T> = { at(index: number): T | undefined };

/** Compacts a full chunk. */
export type Pack<T> = (chunk: readonly T[]) => Chunk<T>;

/**
 * Newer lists share the arrays and append to them: only the first `length` elements belong to this
 * one.
 */
export type List<T> = {
  readonly length: number;
  readonly chunks: Chunk<T>[];
  readonly pack: Pack<T>;
  /** The last, unfilled chunk. */
  readonly tail: T[];
};

const asItIs = <T>(chunk: readonly T[]): Chunk<T> => chunk;

/** A new one each time: what is appended goes into its own tail. */
export const emptyList = <T>(pack: Pack<T> = asItIs): List<T> => ({
  length: 0,
  chunks: [],
  pack,
  tail: [],
});

export function push<T>(list: List<T>, item: T): List<T> {
  const tail = ownPart(list.tail, list.length % chunkSize);
  tail.push(item);
  const length = list.length + 1;
  const { pack } = list;
  if (tail.length < chunkSize) return { length, chunks: list.chunks, pack, tail };
  const chunks = ownPart(list.chunks, fullChunks(list));
  chunks.push(pack(tail));
  return { length, chunks, pack, tail: [] };
}

/** If another list has already appended to the part, this one continues in a copy. */
const ownPart = <T>(shared: T[], own: number): T[] =>
  shared.length === own ? shared : shared.slice(0, own);

const fullChunks = ({ length }: { readonly length: number }): number =>
  Math.floor(length / chunkSize);

export function at<T>(list: List<T>, index: number): T | undefined {
  if (index >= list.length) return undefined;
  const chunk = Math.floor(index / chunkSize);
  const source = chunk === fullChunks(list) ? list.tail : list.chunks[chunk];
  return source?.at(index % chunkSize);
}

export function put<T>(list: List<T>, index: number, item: T): List<T> {
  const chunk = Math.floor(index / chunkSize);
  const offset = index % chunkSize;
  if (index >= list.length) return list;
  if (chunk === fullChunks(list)) {
    const tail = list.tail.slice(0, list.length % chunkSize);
    tail[offset] = item;
    return { ...list, tail };
  }
  const chunks = list.chunks.slice(0, fullChunks(list));
  const old = chunks[chunk];
  if (old) chunks[chunk] = list.pack(unpacked(old).with(offset, item));
  return { ...list, chunks };
}

export const last = <T>(list: List<T>): T | undefined => at(list, list.length - 1);

export function* itemsOf<T>(list: List<T>): Generator<T> {
  for (const chunk of list.chunks.slice(0, fullChunks(list))) yield* unpacked(chunk);
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
