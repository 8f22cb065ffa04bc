/**
 * Numbers by index, for data about every entry of a session: a few bytes each, where an object
 * takes a hundred.
 */

const chunkBits = 10;
const chunkSize = 1 << chunkBits;
const inChunk = chunkSize - 1;

type Numbers = Uint8Array | Uint32Array | Float64Array;

/**
 * One number for each index; zero where none was set. Grows in chunks without moving anything.
 * Chunks of zeros take no memory.
 */
export class Column {
  readonly #type: new (source: number | Numbers) => Numbers;
  #chunks: (Numbers | undefined)[] = [];
  /** By chunk: whether no copy shares it. */
  #isOwn: boolean[] = [];

  constructor(type: new (source: number | Numbers) => Numbers) {
    this.#type = type;
  }

  get(place: number): number {
    return this.#chunks[place >>> chunkBits]?.[place & inChunk] ?? 0;
  }

  set(place: number, value: number): void {
    const index = place >>> chunkBits;
    let chunk = this.#chunks[index];
    if (!chunk && value === 0) return;
    if (!chunk || !this.#isOwn[index]) {
      chunk = new this.#type(chunk ?? chunkSize);
      this.#chunks[index] = chunk;
      this.#isOwn[index] = true;
    }
    chunk[place & inChunk] = value;
  }

  /** Shares the chunks until either of the two changes them. */
  copy(): Column {
    const copy = new Column(this.#type);
    copy.#chunks = [...this.#chunks];
    this.#isOwn = [];
    return copy;
  }
}
