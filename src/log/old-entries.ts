import type { Entry, EntryId, EntryOf } from "../protocol/entry.ts";
import { FileWindow } from "./file-window.ts";
import { LogError, reasonOf } from "./log-error.ts";
import { parseLine } from "./parse.ts";
import { Places, type Place } from "./places.ts";

const MIB = 1024 * 1024;

/** How much of a log is in memory, in bytes of its lines. An object, so that tests can change it. */
export const memoryLimits = {
  /** Whole entries: a request of a million tokens is half of it. */
  whole: 8 * MIB,
  /** The same while a log opens. Everything is looked at once then, and so much is not read twice. */
  opening: 128 * MIB,
  /** Entries read again: what was needed is often needed again. */
  again: 4 * MIB,
};

/** Entries that an append may leave on disk, so that none takes long. */
const perAppend = 2_000;

type Header = Pick<Entry, "id" | "parent" | "type">;

/**
 * What stays in memory of an entry that is left on disk. To the compiler, an entry of which no more is
 * known.
 */
class Held implements EntryOf<"unknown"> {
  readonly id: EntryId;
  readonly parent: EntryId | null;
  readonly realType: Entry["type"];
  whole: Entry | null;

  constructor({ id, parent, type }: Header, whole: Entry | null) {
    this.id = id;
    this.parent = parent;
    this.realType = type;
    this.whole = whole;
  }

  get type(): "unknown" {
    return "unknown";
  }

  get at(): string {
    return "";
  }

  get raw(): Record<string, unknown> {
    return {};
  }
}

/**
 * Keeps only the newest entries of a log whole. An older one stays the same object, and what is asked
 * of it is read from the file, through a small cache. So memory grows little, and nothing that uses
 * entries has to know.
 */
export class OldEntries {
  readonly #file: string;
  readonly #places = new Places();
  /** Whole entries, oldest first, from `#first` on. */
  #whole: { held: Held; place: Place }[] = [];
  #first = 0;
  #wholeBytes = 0;
  /** The id of the last one: the parent of the next is mostly the same string. */
  #lastId: EntryId = "";
  /** Read again, the latest last, from `#firstAgain` on. */
  #again: { held: Held; bytes: number }[] = [];
  #firstAgain = 0;
  #againBytes = 0;
  readonly #window: FileWindow;
  readonly #handler: ProxyHandler<Entry> = {
    get: (held, key) => this.#get(held, key),
    has: (held, key) => Reflect.has(this.#wholeOf(held), key),
    ownKeys: (held) => Reflect.ownKeys(this.#wholeOf(held)),
    getOwnPropertyDescriptor: (held, key) =>
      Reflect.getOwnPropertyDescriptor(this.#wholeOf(held), key),
    getPrototypeOf: () => Object.prototype,
    set: () => false,
  };

  constructor(file: string) {
    this.#file = file;
    this.#window = new FileWindow(file);
  }

  /** An entry that was read on opening, and where its line is. Returns what stands for it. */
  read(entry: Entry, place: Place): Entry {
    const standIn = this.#hold(entry, place);
    while (this.#wholeBytes > memoryLimits.opening) this.#leaveOldest();
    return standIn;
  }

  /** An entry that was appended. Returns what stands for it. */
  append(entry: Entry, place: Place): Entry {
    const standIn = this.#hold(entry, place);
    if (this.#wholeBytes > memoryLimits.whole) this.#window.hold();
    for (let n = 0; n < perAppend && this.#wholeBytes > memoryLimits.whole; n++)
      this.#leaveOldest();
    return standIn;
  }

  /** Entries can still be read as long as the file exists. */
  close(): void {
    this.#window.close();
  }

  /** An entry that is read from the file when something is asked of it. Returns what stands for it. */
  leave(header: Header, place: Place): Entry {
    const standIn = this.#standIn(header, null, place);
    while (this.#wholeBytes > memoryLimits.whole) this.#leaveOldest();
    return standIn;
  }

  /** Where the line of an entry is. */
  placeOf(id: EntryId): Place | undefined {
    return this.#places.get(id);
  }

  #hold(entry: Entry, place: Place): Entry {
    if (entry.type !== "session") return this.#standIn(entry, entry, place);
    this.#places.set(entry.id, place);
    // Every request begins with it.
    return entry;
  }

  #standIn({ id, parent, type }: Header, whole: Entry | null, place: Place): Entry {
    const held = new Held(
      { id, parent: parent === this.#lastId ? this.#lastId : parent, type },
      whole,
    );
    this.#lastId = id;
    this.#places.set(id, place);
    this.#whole.push({ held, place });
    this.#wholeBytes += place.bytes;
    return new Proxy<Entry>(held, this.#handler);
  }

  #leaveOldest(): void {
    const oldest = this.#whole[this.#first++];
    if (!oldest) return;
    this.#wholeBytes -= oldest.place.bytes;
    oldest.held.whole = null;
    if (this.#first <= this.#whole.length / 2) return;
    this.#whole = this.#whole.slice(this.#first);
    this.#first = 0;
  }

  #get(held: Entry, key: string | symbol): unknown {
    if (!(held instanceof Held)) return Reflect.get(held, key);
    // The same strings every time: others keep them.
    if (key === "id" || key === "parent") return held[key];
    if (key === "type") return held.realType;
    // Asked whenever a promise resolves to an entry.
    return key === "then" ? undefined : Reflect.get(this.#wholeOf(held), key);
  }

  #wholeOf(held: Entry): Entry {
    return held instanceof Held ? (held.whole ?? this.#readAgain(held)) : held;
  }

  #readAgain(held: Held): Entry {
    const { id, parent } = held;
    const place = this.#places.get(id);
    const entry = place && this.#parse(place, id);
    if (!place || entry?.id !== id)
      throw new LogError(
        `The session log ${this.#file} was changed by another program: the entry ${id} is no longer where it was written.`,
      );
    // The one in the file may be missing.
    entry.parent = parent;
    held.whole = entry;
    const oldest = this.#whole[this.#first];
    if (!oldest || place.at < oldest.place.at) this.#keepAgain(held, place.bytes);
    return entry;
  }

  /** Not by their last use: to note each would take longer than to parse some twice. */
  #keepAgain(held: Held, bytes: number): void {
    this.#again.push({ held, bytes });
    this.#againBytes += bytes;
    while (this.#againBytes > memoryLimits.again && this.#firstAgain < this.#again.length - 1) {
      const first = this.#again[this.#firstAgain++];
      if (!first) break;
      this.#againBytes -= first.bytes;
      first.held.whole = null;
    }
    if (this.#firstAgain <= this.#again.length / 2) return;
    this.#again = this.#again.slice(this.#firstAgain);
    this.#firstAgain = 0;
  }

  #parse(place: Place, id: EntryId): Entry | null {
    try {
      return parseLine(this.#window.text(place)).entry;
    } catch (error) {
      throw new LogError(
        `The entry ${id} of the session log ${this.#file} cannot be read: ${reasonOf(error)}.`,
        { cause: error },
      );
    }
  }
}
