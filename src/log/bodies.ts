import type { Entry, EntryId } from "../protocol/entry.ts";
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

/** The parts of an entry that can be large. The rest, its header, stays in memory. */
const bodyKeys: { [type in Entry["type"]]?: readonly string[] } = {
  user: ["content"],
  context: ["content"],
  assistant: ["content"],
  result: ["content"],
  cut: ["changes", "summary"],
};

/**
 * Keeps only the newest entries of a log whole. An older one stays the same object; its body becomes
 * a property that is read from the file each time, through a small cache. So memory grows only by the
 * headers, and nothing that uses entries has to know.
 */
export class Bodies {
  readonly #file: string;
  readonly #places = new Places();
  /** Whole entries, oldest first, from `#first` on. */
  #whole: { entry: Entry; bytes: number }[] = [];
  #first = 0;
  #wholeBytes = 0;
  /** Read again, the latest last, by where their lines begin. */
  readonly #again = new Map<number, { entry: Entry; bytes: number }>();
  #againBytes = 0;
  readonly #window: FileWindow;
  readonly #getters = new Map<string, PropertyDescriptor>();

  constructor(file: string) {
    this.#file = file;
    this.#window = new FileWindow(file);
    for (const key of new Set(Object.values(bodyKeys).flat()))
      this.#getters.set(key, this.#getter(key));
  }

  /** An entry that was read on opening, and where its line is. */
  read(entry: Entry, place: Place): void {
    this.#add(entry, place);
    while (this.#wholeBytes > memoryLimits.opening) this.#leaveOldest();
  }

  /** An entry that was appended. */
  append(entry: Entry, place: Place): void {
    this.#add(entry, place);
    if (this.#wholeBytes > memoryLimits.whole) this.#window.hold();
    for (let n = 0; n < perAppend && this.#wholeBytes > memoryLimits.whole; n++)
      this.#leaveOldest();
  }

  /** Bodies can still be read as long as the file exists. */
  close(): void {
    this.#window.close();
  }

  #add(entry: Entry, place: Place): void {
    if (bodyKeys[entry.type] === undefined) return;
    this.#places.set(entry.id, place);
    this.#whole.push({ entry, bytes: place.bytes });
    this.#wholeBytes += place.bytes;
  }

  #leaveOldest(): void {
    const oldest = this.#whole[this.#first++];
    if (!oldest) return;
    this.#wholeBytes -= oldest.bytes;
    if (this.#first > this.#whole.length / 2) {
      this.#whole = this.#whole.slice(this.#first);
      this.#first = 0;
    }
    for (const key of bodyKeys[oldest.entry.type] ?? []) {
      const getter = this.#getters.get(key);
      // The property keeps its place: an entry is written in the order of its keys.
      if (getter && key in oldest.entry) Object.defineProperty(oldest.entry, key, getter);
    }
  }

  #getter(key: string): PropertyDescriptor {
    const body = (id: EntryId): unknown => Reflect.get(this.#bodyOf(id), key);
    return {
      get(this: Entry) {
        return body(this.id);
      },
      enumerable: true,
      configurable: true,
    };
  }

  #bodyOf(id: EntryId): Entry {
    const place = this.#places.get(id);
    const known = this.#again.get(place?.at ?? -1);
    if (known && place) {
      this.#again.delete(place.at);
      this.#again.set(place.at, known);
      return known.entry;
    }
    const entry = place && this.#parse(place, id);
    if (!place || entry?.id !== id)
      throw new LogError(
        `The session log ${this.#file} was changed by another program: the entry ${id} is no longer where it was written.`,
      );
    this.#again.set(place.at, { entry, bytes: place.bytes });
    this.#againBytes += place.bytes;
    for (const [at, { bytes }] of this.#again) {
      if (this.#againBytes <= memoryLimits.again || at === place.at) break;
      this.#again.delete(at);
      this.#againBytes -= bytes;
    }
    return entry;
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
