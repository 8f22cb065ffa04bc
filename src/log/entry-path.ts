import { Column } from "../protocol/column.ts";
import type { Entry } from "../protocol/entry.ts";
import { lazyList } from "../protocol/lazy-list.ts";
import type { OldEntries } from "./old-entries.ts";

/** The entries from the root to a head, which grows: their indexes, since a session may have a million. */
export class EntryPath {
  length = 0;
  readonly list: readonly Entry[] = lazyList(this);
  readonly #entries: OldEntries;
  /** Entries of other branches before each: none, unless the session was rewound. */
  readonly #others = new Column(Uint32Array);

  /** `head`: an index; null: there are none. */
  constructor(entries: OldEntries, head: number | null) {
    this.#entries = entries;
    for (let at = head; at !== null; at = entries.table.parentOf(at)) this.length++;
    let place = this.length;
    for (let at = head; at !== null; at = entries.table.parentOf(at)) this.#set(--place, at);
  }

  /** Null: it is empty. */
  get head(): number | null {
    return this.length === 0 ? null : this.#indexOf(this.length - 1);
  }

  at(place: number): Entry | undefined {
    const isInside = place >= 0 && place < this.length;
    return isInside ? this.#entries.at(this.#indexOf(place)) : undefined;
  }

  /** The last one that has one of the types. */
  latest(types: readonly Entry["type"][]): Entry | undefined {
    const { table } = this.#entries;
    for (let place = this.length - 1; place >= 0; place--)
      if (types.includes(table.typeOf(this.#indexOf(place)))) return this.at(place);
    return undefined;
  }

  push(index: number): void {
    this.#set(this.length++, index);
  }

  #indexOf(place: number): number {
    return place + this.#others.get(place);
  }

  #set(place: number, index: number): void {
    this.#others.set(place, index - place);
  }
}
