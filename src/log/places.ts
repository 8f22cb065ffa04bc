import { numberOf } from "../protocol/entry-number.ts";
import type { EntryId } from "../protocol/entry.ts";

/** Where the line of an entry begins in the file, and its size in bytes, without the newline. */
export type Place = { at: number; bytes: number };

/** The places of entries: 12 bytes each, since a session may have a million. */
export class Places {
  /** By the number of the id. */
  #at = new Float64Array(1_024);
  #bytes = new Uint32Array(1_024);
  #count = 0;
  /** Of ids in another form than a log of this program gives. */
  readonly #others = new Map<EntryId, Place>();

  set(id: EntryId, place: Place): void {
    const number = numberOf(id);
    this.#count++;
    if (number === 0 || number > 16 * this.#count + 1_024) return void this.#others.set(id, place);
    while (number >= this.#at.length) this.#grow();
    this.#at[number] = place.at;
    this.#bytes[number] = place.bytes;
  }

  get(id: EntryId): Place | undefined {
    const number = numberOf(id);
    const bytes = number === 0 ? undefined : this.#bytes[number];
    return bytes ? { at: this.#at[number] ?? 0, bytes } : this.#others.get(id);
  }

  #grow(): void {
    const [at, bytes] = [this.#at, this.#bytes];
    this.#at = new Float64Array(at.length * 2);
    this.#bytes = new Uint32Array(at.length * 2);
    this.#at.set(at);
    this.#bytes.set(bytes);
  }
}
