import { Column } from "../protocol/column.ts";
import {
  kinds,
  newCharsByKind,
  sameChars,
  zeroChars,
  type CharsByKind,
  type Kind,
} from "./char-count.ts";
import { PackedChars } from "./packed-chars.ts";

/** Tokens of one kind in an item; most items have one or two kinds. */
export type Portion = { kind: Kind; tokens: number };

/**
 * What the token ledger knows about each item, by place. Columns, not objects: a session may have a
 * million rows.
 */
export class LedgerItems {
  /** Where an item's characters are packed; 0: there is no such item. */
  #chars = new Column(Uint32Array);
  #packed: PackedChars;
  #kinds = new Column(Uint8Array);
  /** 1: the item shows its entry's own content. */
  #own = new Column(Uint8Array);
  /** NaN: not counted yet. */
  #tokens = new Column(Float64Array);
  /** Where the tokens by kind are packed, of items with several kinds; 0: the item has only one. */
  #portions = new Column(Uint32Array);
  #packedPortions = new PackedChars(Float64Array);
  /** 0: its own content was never counted. */
  #wholeChars = new Column(Uint32Array);
  #wholeTokens = new Column(Float64Array);
  /** After the last item. */
  #end = 0;

  constructor(packed: PackedChars) {
    this.#packed = packed;
  }

  copy(): LedgerItems {
    const copy = new LedgerItems(this.#packed.copy());
    copy.#chars = this.#chars.copy();
    copy.#kinds = this.#kinds.copy();
    copy.#own = this.#own.copy();
    copy.#tokens = this.#tokens.copy();
    copy.#portions = this.#portions.copy();
    copy.#packedPortions = this.#packedPortions.copy();
    copy.#wholeChars = this.#wholeChars.copy();
    copy.#wholeTokens = this.#wholeTokens.copy();
    copy.#end = this.#end;
    return copy;
  }

  /** A new item has neither tokens nor content that was counted. */
  set(place: number, chars: CharsByKind, kind: Kind, own: boolean): void {
    if (!this.has(place)) {
      this.#end = Math.max(this.#end, place + 1);
      this.#tokens.set(place, Number.NaN);
      this.#wholeChars.set(place, 0);
    }
    const whole = this.wholeOf(place);
    const isWhole = whole !== null && sameChars(whole, chars);
    this.#chars.set(place, isWhole ? this.#wholeChars.get(place) : this.#packed.add(chars));
    this.#kinds.set(place, kinds.indexOf(kind));
    this.#own.set(place, own ? 1 : 0);
  }

  remove(place: number): void {
    this.#chars.set(place, 0);
  }

  has(place: number): boolean {
    return this.#chars.get(place) !== 0;
  }

  charsOf(place: number): CharsByKind {
    return this.#packed.get(this.#chars.get(place));
  }

  /** Where its characters are packed. */
  packedCharsOf(place: number): number {
    return this.#chars.get(place);
  }

  /** The kind that its images belong to. */
  kindOf(place: number): Kind {
    return kinds[this.#kinds.get(place)] ?? "user";
  }

  /** It shows the entry's own content, all or part of it, and not the text of a cut. */
  isOwn(place: number): boolean {
    return this.#own.get(place) === 1;
  }

  /** Null: not counted yet. */
  tokensOf(place: number): number | null {
    const tokens = this.has(place) ? this.#tokens.get(place) : Number.NaN;
    return Number.isNaN(tokens) ? null : tokens;
  }

  /** Null: not counted yet. */
  portionsOf(place: number): readonly Portion[] | null {
    const tokens = this.tokensOf(place);
    if (tokens === null) return null;
    const several = this.#portions.get(place);
    if (several !== 0) return unpacked(this.#packedPortions.get(several));
    const chars = this.charsOf(place);
    const kind = kinds.find((one) => chars[one] !== 0) ?? this.kindOf(place);
    return sameChars(chars, zeroChars) ? [] : [{ kind, tokens }];
  }

  setPortions(place: number, portions: readonly Portion[] | null): void {
    this.#tokens.set(place, portions ? sumOf(portions) : Number.NaN);
    const several =
      portions && portions.length > 1 ? this.#packedPortions.add(byKind(portions)) : 0;
    this.#portions.set(place, several);
  }

  /** The entry's own content when it was counted; null: it never was. */
  wholeOf(place: number): CharsByKind | null {
    const whole = this.#wholeChars.get(place);
    return whole === 0 ? null : this.#packed.get(whole);
  }

  /** Tokens of `wholeOf`. */
  wholeTokensOf(place: number): number {
    return this.#wholeTokens.get(place);
  }

  /** Records that what it shows now is its own content, and has been counted. */
  rememberWhole(place: number, tokens: number): void {
    this.#wholeChars.set(place, this.#chars.get(place));
    this.#wholeTokens.set(place, tokens);
  }

  /** Multiplies all tokens. */
  scale(factor: number): void {
    for (let place = 0; place < this.#end; place++) {
      const portions = this.portionsOf(place);
      const scaled = portions?.map(({ kind, tokens }) => ({ kind, tokens: tokens * factor }));
      if (scaled) this.setPortions(place, scaled);
      this.#wholeTokens.set(place, this.#wholeTokens.get(place) * factor);
    }
  }
}

export function sumOf(portions: readonly Portion[]): number {
  let sum = 0;
  for (const { tokens } of portions) sum += tokens;
  return sum;
}

function byKind(portions: readonly Portion[]): CharsByKind {
  const tokens = newCharsByKind();
  for (const portion of portions) tokens[portion.kind] = portion.tokens;
  return tokens;
}

const unpacked = (tokens: CharsByKind): Portion[] =>
  kinds.flatMap((kind) => (tokens[kind] === 0 ? [] : [{ kind, tokens: tokens[kind] }]));
