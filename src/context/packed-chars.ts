import { Column } from "../protocol/column.ts";
import {
  countedKeys,
  newCharsByKind,
  OneKind,
  zeroChars,
  kinds,
  type CharsByKind,
} from "./char-count.ts";

/**
 * Counts by kind, packed: which kinds they are, then a number for each. Nothing is ever overwritten, so
 * a place stands for the same counts forever, and equal rows may share one.
 */
export class PackedChars {
  #numbers: Column;
  /** Place 0 stands for no counts; the counts at 1 are all zero. */
  #end = 2;

  /** Characters are whole numbers; tokens that were divided among items are not. */
  constructor(type: typeof Uint32Array | typeof Float64Array = Uint32Array) {
    this.#numbers = new Column(type);
  }

  add(chars: CharsByKind): number {
    const place = this.#end;
    let mask = 0;
    if (chars instanceof OneKind) {
      mask = 1 << kinds.indexOf(chars.kind);
      this.#numbers.set(++this.#end, chars.chars);
    } else
      for (const [bit, key] of countedKeys.entries()) {
        if (chars[key] === 0) continue;
        mask |= 1 << bit;
        this.#numbers.set(++this.#end, chars[key]);
      }
    if (mask === 0) return noChars;
    this.#numbers.set(place, mask);
    this.#end++;
    return place;
  }

  get(place: number): CharsByKind {
    const mask = this.#numbers.get(place);
    if (mask === 0) return zeroChars;
    const last = 31 - Math.clz32(mask);
    const only = mask === 1 << last ? kinds[last] : undefined;
    if (only) return new OneKind(only, this.#numbers.get(place + 1));
    const chars = newCharsByKind();
    let next = place;
    for (let bit = 0; bit <= last; bit++) {
      const key = countedKeys[bit];
      if (key && mask & (1 << bit)) chars[key] = this.#numbers.get(++next);
    }
    return chars;
  }

  copy(): PackedChars {
    const copy = new PackedChars();
    copy.#numbers = this.#numbers.copy();
    copy.#end = this.#end;
    return copy;
  }
}

/** The place of all-zero counts in any `PackedChars`. */
export const noChars = 1;
