import { ByEntry, numberOf } from "../protocol/by-entry.ts";
import { Column } from "../protocol/column.ts";
import type { Entry, EntryId } from "../protocol/entry.ts";
import type { NumberedHeader } from "./checked.ts";

/** What is known about an entry without reading it. */
export type Header = Pick<Entry, "id" | "parent" | "type">;

/** Where the line of an entry begins in the file, and its size in bytes with the newline. */
export type Place = { at: number; bytes: number };

const lately = 512;

/** Headers and places of entries in the order of the file: 25 bytes each, since a session may have a million. */
export class EntryTable {
  length = 0;
  /** Numbers of the ids; 0: the id has another form. */
  readonly #numbers = new Column(Uint32Array);
  readonly #otherIds = new Map<number, EntryId>();
  readonly #indexes = new ByEntry();
  /** Entries between it and its parent, or the beginning: mostly none. */
  readonly #back = new Column(Uint32Array);
  readonly #types = new Column(Uint8Array);
  readonly #typeNames: Entry["type"][] = [];
  readonly #at = new Column(Float64Array);
  readonly #bytes = new Column(Uint32Array);
  /**
   * Recently requested ids, by the low bits of their index: mostly those of an entry and its
   * parent.
   */
  readonly #lately: { index: number; id: EntryId }[] = [];

  /** Returns its index. The parent was added before. */
  add({ id, parent, type }: Header, place: Place): number {
    const index = this.length;
    const number = numberOf(id);
    if (number > 0 && number < 2 ** 32) this.#numbers.set(index, number);
    else this.#otherIds.set(index, id);
    this.#indexes.set(id, index);
    return this.#add(parent === null ? undefined : this.#indexes.get(parent), type, place);
  }

  /** The same, with ids as numbers. */
  addNumbered({ number, parent, type }: NumberedHeader, place: Place): number {
    const index = this.length;
    this.#numbers.set(index, number);
    this.#indexes.setNumbered(number, index);
    return this.#add(parent === 0 ? undefined : this.#indexes.getNumbered(parent), type, place);
  }

  #add(parent: number | undefined, type: Entry["type"], { at, bytes }: Place): number {
    const index = this.length++;
    this.#back.set(index, index - 1 - (parent ?? -1));
    if (!this.#typeNames.includes(type)) this.#typeNames.push(type);
    this.#types.set(index, this.#typeNames.indexOf(type));
    this.#at.set(index, at);
    this.#bytes.set(index, bytes);
    return index;
  }

  indexOf(id: EntryId): number | undefined {
    return this.#indexes.get(id);
  }

  idOf(index: number): EntryId {
    const known = this.#lately[index % lately];
    if (known?.index === index) return known.id;
    const number = this.#numbers.get(index);
    const id = number === 0 ? (this.#otherIds.get(index) ?? "") : `e${number}`;
    this.#lately[index % lately] = { index, id };
    return id;
  }

  /** Whether the entry at this index has the id. */
  isAt(index: number, id: EntryId): boolean {
    const number = this.#numbers.get(index);
    return number === 0 ? id === this.#otherIds.get(index) : number === numberOf(id);
  }

  /** Null: there is none. */
  parentIdOf(index: number): EntryId | null {
    const parent = this.parentOf(index);
    return parent === null ? null : this.idOf(parent);
  }

  /** Its index; null: there is none. */
  parentOf(index: number): number | null {
    const parent = index - 1 - this.#back.get(index);
    return parent < 0 ? null : parent;
  }

  /** Null: an id has another form. */
  numberedHeaderOf(index: number): NumberedHeader | null {
    const above = this.parentOf(index);
    const number = this.#numbers.get(index);
    const parent = above === null ? 0 : this.#numbers.get(above);
    if (number === 0 || (above !== null && parent === 0)) return null;
    return { number, parent, type: this.typeOf(index) };
  }

  typeOf(index: number): Entry["type"] {
    return this.#typeNames[this.#types.get(index)] ?? "unknown";
  }

  placeOf(index: number): Place {
    return { at: this.#at.get(index), bytes: this.#bytes.get(index) };
  }
}
