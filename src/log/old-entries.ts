import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { lazyList } from "../protocol/lazy-list.ts";
import type { NumberedHeader } from "./checked.ts";
import { EntryReader } from "./entry-reader.ts";
import { EntryTable, type Place } from "./entry-table.ts";

const MIB = 1024 * 1024;

/** How much of a log is in memory, in bytes of its lines. An object, so that tests can change it. */
export const memoryLimits = {
  /** Whole entries: a request of a million tokens is half of it. */
  whole: 8 * MIB,
  /** The same while a log opens: every entry is visited then, and these need not be read twice. */
  opening: 32 * MIB,
  /** Entries read again: what was needed is often needed again. */
  again: 4 * MIB,
  /** Added for each entry: measured in Bun 1.4, short lines take 400 to 700 bytes more as objects. */
  perEntry: 500,
};

/** Entries that an append may leave on disk, so that none takes long. */
const perAppend = 2_000;

const maxLately = 512;

/**
 * Readers that go through all entries side by side are at most this many entries apart, counting
 * those that are read together.
 */
const maxLookedAt = 128;

/** To the compiler, an entry about which nothing is known: a proxy answers for every property. */
class StandIn implements EntryOf<"unknown"> {
  declare readonly id: "";
  declare readonly parent: null;
  declare readonly type: "unknown";
  declare readonly at: "";
  declare readonly raw: Record<string, unknown>;
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/**
 * Keeps only the newest entries of a log in full, and the others as rows of a table. Callers get a
 * stand-in, which reads from the file on demand, through a small cache. So memory grows little, and
 * code that uses entries need not know. Two stand-ins of an old entry may be different objects.
 */
export class OldEntries {
  readonly table = new EntryTable();
  /** In the order of the file. */
  readonly list: readonly Entry[] = lazyList(this);
  /** Every request begins with one: they stay whole. */
  readonly #sessions = new Map<number, Entry>();
  /**
   * The newest, from `#first` on; those that were left on disk when the log opened are read on
   * demand.
   */
  readonly #newest = new Map<number, Entry>();
  readonly #standIns = new Map<number, Entry>();
  /**
   * Recently returned entries, by the low bits of their index: several callers ask for the same
   * one.
   */
  readonly #lately: { index: number; entry: Entry }[] = [];
  /** The same for entries that were returned whole. */
  readonly #lookedAt: { index: number; entry: Entry }[] = [];
  #first = 0;
  #newestBytes = 0;
  /** Older ones that were read again. */
  readonly #again = new Map<number, Entry>();
  /** Their indexes, the latest last, from `#firstAgain` on: a map from which the first was removed is slow to begin with. */
  #againOrder: number[] = [];
  #firstAgain = 0;
  #againBytes = 0;
  /** The last one requested, which is mostly requested again. */
  #last: { index: number; entry: Entry } | null = null;
  readonly #reader: EntryReader;
  readonly #handler: ProxyHandler<Entry> = {
    get: (standIn, key) => this.#get(indexOf(standIn), key),
    has: (standIn, key) => Reflect.has(this.#wholeOf(indexOf(standIn)), key),
    ownKeys: (standIn) => Reflect.ownKeys(this.#wholeOf(indexOf(standIn))),
    getOwnPropertyDescriptor: (standIn, key) =>
      Reflect.getOwnPropertyDescriptor(this.#wholeOf(indexOf(standIn)), key),
    getPrototypeOf: () => Object.prototype,
    set: () => false,
  };

  constructor(file: string) {
    this.#reader = new EntryReader(file, this.table);
  }

  get length(): number {
    return this.table.length;
  }

  /** An entry that was read on opening, and where its line is. */
  read(entry: Entry, place: Place): void {
    this.#hold(entry, place);
    while (this.#newestBytes > memoryLimits.opening) this.#leaveOldest();
  }

  /** An entry that was appended. Returns its index. */
  append(entry: Entry, place: Place): number {
    const index = this.#hold(entry, place);
    if (this.#isFull) this.#reader.window.hold();
    for (let n = 0; n < perAppend && this.#isFull; n++) this.#leaveOldest();
    return index;
  }

  get #isFull(): boolean {
    return this.#newestBytes + this.#newest.size * memoryLimits.perEntry > memoryLimits.whole;
  }

  /** Entries can still be read as long as the file exists. */
  close(): void {
    this.#reader.window.close();
  }

  /** Adds an entry that stays in the file and is read on demand. */
  leave(header: NumberedHeader, place: Place): void {
    this.#newestBytes += place.bytes;
    this.table.addNumbered(header, place);
    while (this.#newestBytes > memoryLimits.whole) this.#leaveOldest();
  }

  /** The entry or its stand-in. */
  at(index: number): Entry | undefined {
    if (index < 0 || index >= this.table.length) return undefined;
    const lately = this.#lately[index % maxLately];
    if (lately?.index === index) return lately.entry;
    const entry = this.#sessions.get(index) ?? this.#standIns.get(index) ?? this.#standIn(index);
    this.#lately[index % maxLately] = { index, entry };
    return entry;
  }

  /**
   * The entry itself, for code that goes through all of them in order: every property of a stand-in
   * costs a call. Keeping it keeps its content in memory.
   */
  whole(index: number): Entry | undefined {
    if (index < 0 || index >= this.table.length) return undefined;
    const known = this.#lookedAt[index % maxLookedAt];
    if (known?.index === index) return known.entry;
    const entry =
      this.#sessions.get(index) ??
      this.#newest.get(index) ??
      this.#again.get(index) ??
      this.#readOn(index);
    this.#lookedAt[index % maxLookedAt] = { index, entry };
    return entry;
  }

  /** Reads an entry and some after it, which are usually needed next. */
  #readOn(index: number): Entry {
    const entries = this.#reader.from(index);
    for (const [n, entry] of entries.entries())
      this.#lookedAt[(index + n) % maxLookedAt] = { index: index + n, entry };
    return entries[0] ?? this.#reader.at(index);
  }

  #standIn(index: number): Entry {
    const standIn = new Proxy<Entry>(new StandIn(index), this.#handler);
    if (index >= this.#first) this.#standIns.set(index, standIn);
    return standIn;
  }

  get(id: EntryId): Entry | undefined {
    const index = this.table.indexOf(id);
    return index === undefined ? undefined : this.at(index);
  }

  has(id: EntryId): boolean {
    return this.table.indexOf(id) !== undefined;
  }

  #hold(entry: Entry, place: Place): number {
    this.#newestBytes += place.bytes;
    const index = this.table.add(entry, place);
    (entry.type === "session" ? this.#sessions : this.#newest).set(index, entry);
    return index;
  }

  #leaveOldest(): void {
    const oldest = this.#first++;
    this.#newestBytes -= this.table.placeOf(oldest).bytes;
    this.#newest.delete(oldest);
    this.#standIns.delete(oldest);
  }

  #get(index: number, key: string | symbol): unknown {
    if (key === "type") return this.table.typeOf(index);
    if (key === "id") return this.table.idOf(index);
    if (key === "parent") return this.table.parentIdOf(index);
    // Asked whenever a promise resolves to an entry.
    return key === "then" ? undefined : Reflect.get(this.#wholeOf(index), key);
  }

  #wholeOf(index: number): Entry {
    if (this.#last?.index === index) return this.#last.entry;
    const entry = this.#newest.get(index) ?? this.#again.get(index) ?? this.#keep(index);
    this.#last = { index, entry };
    return entry;
  }

  #keep(index: number): Entry {
    const entry = this.#reader.at(index);
    if (index >= this.#first) this.#newest.set(index, entry);
    else this.#keepAgain(index, entry);
    return entry;
  }

  /** Not by last use: recording each use would take longer than parsing some twice. */
  #keepAgain(index: number, entry: Entry): void {
    this.#again.set(index, entry);
    this.#againOrder.push(index);
    this.#againBytes += this.table.placeOf(index).bytes + memoryLimits.perEntry;
    while (this.#againBytes > memoryLimits.again && this.#again.size > 1) {
      const first = this.#againOrder[this.#firstAgain++] ?? 0;
      this.#again.delete(first);
      this.#againBytes -= this.table.placeOf(first).bytes + memoryLimits.perEntry;
    }
    if (this.#firstAgain <= this.#againOrder.length / 2) return;
    this.#againOrder = this.#againOrder.slice(this.#firstAgain);
    this.#firstAgain = 0;
  }
}

const indexOf = (standIn: Entry): number => (standIn instanceof StandIn ? standIn.index : -1);
