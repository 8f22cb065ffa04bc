import { Column } from "./column.ts";
import type { EntryId } from "./entry.ts";

/** Whole numbers by the ids of entries. A column takes a tenth of a map's memory. */
export class ByEntry {
  /** Values plus one, so that zero means none, by the number in the id. */
  readonly #numbered = new Column(Uint32Array);
  #count = 0;
  /** Ids in a form that this program does not assign, or with numbers far beyond the others. */
  readonly #others = new Map<EntryId, number>();

  set(id: EntryId, value: number): void {
    const number = numberOf(id);
    if (number > 0) this.setNumbered(number, value);
    else this.#others.set(id, value);
  }

  /** Sets the value of the id with this number. */
  setNumbered(number: number, value: number): void {
    this.#count++;
    if (number > 16 * this.#count + 1_024) this.#others.set(`e${number}`, value);
    else this.#numbered.set(number, value + 1);
  }

  get(id: EntryId): number | undefined {
    return this.#near(numberOf(id)) ?? this.#others.get(id);
  }

  /** The value of the id with this number. */
  getNumbered(number: number): number | undefined {
    return this.#near(number) ?? this.#others.get(`e${number}`);
  }

  #near(number: number): number | undefined {
    // A column uses only the low 32 bits of an index.
    const value = number < 2 ** 32 ? this.#numbered.get(number) : 0;
    return value === 0 ? undefined : value - 1;
  }

  has(id: EntryId): boolean {
    return this.get(id) !== undefined;
  }
}

/**
 * The number in an id; zero for an id in a form that this program does not assign. Parsed digit by
 * digit, because this runs for every entry of a log.
 */
export function numberOf(id: EntryId): number {
  if (!id.startsWith("e") || id[1] === "0" || id.length > 16) return 0;
  let number = 0;
  for (let at = 1; at < id.length; at++) {
    const digit = id.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return 0;
    number = number * 10 + digit;
  }
  return number;
}
