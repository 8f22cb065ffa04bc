import type { Entry, EntryId } from "../protocol/entry.ts";
import { numberOf } from "../protocol/entry-number.ts";

/** Entries by their ids. A list by number takes a fifth of a map's memory, and a log may have a million. */
export class ById {
  readonly #numbered: (Entry | undefined)[] = [];
  #count = 0;
  /** With ids in another form than a log of this program gives, or far from the others. */
  readonly #others = new Map<EntryId, Entry>();

  set(id: EntryId, entry: Entry): void {
    const number = numberOf(id);
    this.#count++;
    if (number === 0 || number > 16 * this.#count + 1_024) this.#others.set(id, entry);
    else this.#numbered[number] = entry;
  }

  get(id: EntryId): Entry | undefined {
    const number = numberOf(id);
    return (number === 0 ? undefined : this.#numbered[number]) ?? this.#others.get(id);
  }

  has(id: EntryId): boolean {
    return this.get(id) !== undefined;
  }
}
