import type { Entry } from "../protocol/entry.ts";
import type { EntryTable, Place } from "./entry-table.ts";
import { FileWindow } from "./file-window.ts";
import { LogError, logError } from "./log-error.ts";
import { parseKnown, parseLine } from "./parse.ts";

/** At most this many lines are parsed together. */
const together = { lines: 64, bytes: 64 * 1024 };

/** Reads entries again from their places in the log. */
export class EntryReader {
  readonly #file: string;
  readonly #table: EntryTable;
  readonly window: FileWindow;

  constructor(file: string, table: EntryTable) {
    this.#file = file;
    this.#table = table;
    this.window = new FileWindow(file);
  }

  /** Throws `LogError` when it is no longer there. */
  at(index: number): Entry {
    const entry = this.#inPlace(index, this.#parse(index));
    if (entry) return entry;
    throw new LogError(
      `The session log ${this.#file} was changed by another program: the entry ${this.#table.idOf(index)} is no longer where it was written.`,
    );
  }

  /**
   * An entry and some of those after it: parsing lines together takes half as long. Fewer or none
   * when lines are no longer there.
   */
  from(index: number): Entry[] {
    const entries: Entry[] = [];
    for (const value of this.#values(this.#placeFrom(index))) {
      const at = index + entries.length;
      const entry = at < this.#table.length ? parseKnown(value, this.#table.typeOf(at)) : null;
      const inPlace = this.#inPlace(at, entry);
      if (!inPlace) break;
      entries.push(inPlace);
    }
    return entries;
  }

  /** The place of the lines that are read together, starting with this one. */
  #placeFrom(index: number): Place {
    const { at, bytes } = this.#table.placeOf(index);
    let end = at + bytes;
    for (let next = index + 1; next < index + together.lines; next++) {
      if (next >= this.#table.length) break;
      const line = this.#table.placeOf(next);
      if (line.at !== end || line.at + line.bytes - at > together.bytes) break;
      end += line.bytes;
    }
    return { at, bytes: end - at };
  }

  #values(place: Place): unknown[] {
    try {
      return Bun.JSONL.parse(this.window.bytes(place));
    } catch {
      return [];
    }
  }

  /** Null if another entry is there now. */
  #inPlace(index: number, entry: Entry | null): Entry | null {
    const table = this.#table;
    if (entry?.type !== table.typeOf(index) || !table.isAt(index, entry.id)) return null;
    const parent = table.parentOf(index);
    const isSame = parent === null ? entry.parent === null : table.isAt(parent, entry.parent ?? "");
    // The one in the file may be missing.
    if (!isSame) entry.parent = table.parentIdOf(index);
    return entry;
  }

  #parse(index: number): Entry | null {
    try {
      return parseLine(this.window.text(this.#table.placeOf(index))).entry;
    } catch (error) {
      const what = `The entry ${this.#table.idOf(index)} of the session log ${this.#file}`;
      throw logError(`${what} cannot be read`, error);
    }
  }
}
