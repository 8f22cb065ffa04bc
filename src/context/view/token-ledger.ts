/** Tokens of everything in the view: counted by a call where possible, estimated otherwise. */

import { Calibration, defaultCharsPerToken } from "./calibration.ts";
import {
  sumChars,
  kinds,
  newCharsByKind,
  sameChars,
  shift,
  zeroByKind,
  zeroChars,
  type CharsByKind,
  type Kind,
} from "./char-count.ts";

/** Tokens of one kind in an item. */
type Portion = { kind: Kind; tokens: number };

/** A row, or a fixed part of every request. */
type CountedItem = {
  readonly chars: CharsByKind;
  /** The kind that its images belong to. */
  readonly kind: Kind;
  /** Shows the entry's own content, in full or in part, not the text of a cut. */
  readonly own: boolean;
  /** Null: no call has counted it yet. */
  readonly portions: readonly Portion[] | null;
  /** The entry's own content as a call once counted it; null: none has. */
  readonly whole: { readonly chars: CharsByKind; readonly tokens: number } | null;
};

/** Plausible ratios of counted to expected tokens. Outside, the call counted something in no entry. */
const plausible = { min: 1 / 3, max: 3, maxAtFirst: 1.3 };

/** Tokens of a prompt that is not ours, as in an imported session, and how wrong an estimate can be. */
const unknownOverhead = 100_000;
const mostPerExpected = 4;

/** Places of items; row n is at n + `rowItems`. */
const systemItem = 0;
const toolsItem = 1;
const rowItems = 2;

/**
 * Each call's usage counts what was added since the call before it. That number is divided among the
 * new items, so the size of what a cut removes is known, not estimated.
 */
export class TokenLedger {
  readonly calibration = new Calibration();
  /** Tokens by kind that calls have counted. */
  readonly counted = zeroByKind();
  /** Characters that no call has counted yet. */
  readonly uncounted = newCharsByKind();
  #items: (CountedItem | undefined)[] = [];
  #waiting = new Set<number>();
  #counts = 0;
  /** Tokens of the last count beyond what its items can plausibly take; of no kind. */
  #unexplained = 0;
  /** Counted tokens that were removed or changed since the last call. */
  editedTokens = 0;
  /** The next call uses another model, with another tokenizer. */
  #rescale = false;

  /** Characters of the system prompt and of the tools. */
  setFixedParts(system: number, tools: number): void {
    this.#set(systemItem, { ...zeroChars, system }, "system", true);
    this.#set(toolsItem, { ...zeroChars, tools }, "tools", true);
  }

  /** Sets the content of row `index`. */
  set(index: number, chars: CharsByKind, kind: Kind, own: boolean): void {
    this.#set(index + rowItems, chars, kind, own);
  }

  #set(place: number, chars: CharsByKind, kind: Kind, own: boolean): void {
    const before = this.#items[place];
    if (before) {
      if (sameChars(before.chars, chars)) return;
      this.#remove(place, before);
    }
    const whole = before?.whole ?? null;
    this.#items[place] = { chars, kind, own, portions: null, whole };
    if (holdsNoChars(chars)) this.#assign(place, 0);
    else if (own && whole && this.#estimate(chars) <= this.#estimate(whole.chars)) {
      this.#assign(place, whole.tokens * (this.#estimate(chars) / this.#estimate(whole.chars)));
    } else {
      shift(this.uncounted, chars, 1);
      this.#waiting.add(place);
    }
  }

  /** Tokens of a row as shown; null if no call has counted it. */
  countedTokens(index: number): number | null {
    const portions = this.#items[index + rowItems]?.portions;
    return portions ? sumPortions(portions) : null;
  }

  /** Tokens of a row's own content, shown whole, as a call once counted it; null: never. */
  countedWholeTokens(index: number): number | null {
    return this.#items[index + rowItems]?.whole?.tokens ?? null;
  }

  /** All counted tokens. */
  total(): number {
    return sum(this.counted) + this.#unexplained;
  }

  /** Some servers report the tokens of all calls together, or nonsense. */
  isPlausible(tokens: number): boolean {
    const expected = this.total() + this.#estimate(this.uncounted);
    return tokens <= unknownOverhead + mostPerExpected * expected;
  }

  /** The server counted `tokens` for the whole view. */
  count(tokens: number): void {
    if (this.#rescale) this.#scale(tokens);
    // Estimated before learning changes the estimates, so that the shares add up.
    const waiting = [...this.#waiting].map((place) => {
      const { chars } = this.#items[place] ?? nothing;
      return { place, chars, estimate: this.#estimate(chars) };
    });
    const measured = tokens - this.total();
    const expected = waiting.reduce((all, { estimate }) => all + estimate, 0);
    const scale = measured / expected;
    const first = this.#counts++ === 0;
    const max = first ? plausible.maxAtFirst : plausible.max;
    const believed = Math.min(max, Math.max(first ? 0 : plausible.min, scale));
    if (!first && this.editedTokens === 0) {
      this.calibration.adaptError(expected, measured);
      if (believed === scale) this.calibration.learn(this.uncounted, measured);
    }
    this.editedTokens = 0;
    for (const { place, chars, estimate } of waiting) {
      shift(this.uncounted, chars, -1);
      this.#assign(place, estimate * believed, true);
    }
    this.#waiting.clear();
    // Unexplained tokens of the first call are the server's own prompt for tools; later ones have no kind.
    const unknown = Math.max(0, tokens - sum(this.counted));
    if (first) this.counted.system += unknown;
    else this.#unexplained = unknown;
  }

  /** The server reported an answer's tokens separately. */
  countAnswer(index: number, tokens: number): void {
    const place = index + rowItems;
    const { chars, portions } = this.#items[place] ?? nothing;
    if (portions !== null) return;
    this.#waiting.delete(place);
    shift(this.uncounted, chars, -1);
    this.#assign(place, tokens, true);
  }

  /** Notes whether the next call uses another model than the last one. */
  changeModel(isAnother: boolean): void {
    this.#rescale = isAnother;
  }

  /**
   * The calls so far were another program's, and counted its system prompt and tools. Ours are
   * estimated until a call has counted them.
   */
  forgetOverhead(): void {
    for (const [place, kind] of [
      [systemItem, "system"],
      [toolsItem, "tools"],
    ] as const) {
      const { chars } = this.#items[place] ?? nothing;
      this.#items[place] = undefined;
      this.counted[kind] = 0;
      this.#set(place, chars, kind, true);
    }
    // The new model may tokenize all of it differently.
    this.editedTokens = this.total();
  }

  #scale(tokens: number): void {
    this.#rescale = false;
    this.calibration.forget();
    const before = this.total() + this.#estimate(this.uncounted);
    const factor = Math.min(2, Math.max(0.5, tokens / before));
    for (const kind of kinds) this.counted[kind] *= factor;
    this.#unexplained *= factor;
    this.#items = this.#items.map((item) => item && scaled(item, factor));
  }

  #remove(place: number, { chars, portions }: CountedItem): void {
    if (portions) {
      for (const { kind, tokens } of portions) this.counted[kind] -= tokens;
      this.editedTokens += sumPortions(portions);
    } else shift(this.uncounted, chars, -1);
    this.#waiting.delete(place);
  }

  /** `remember`: a call has counted them. */
  #assign(place: number, tokens: number, remember = false): void {
    const item = this.#items[place] ?? nothing;
    const { chars, kind, own } = item;
    const portions = this.#split(chars, kind, tokens);
    for (const portion of portions) this.counted[portion.kind] += portion.tokens;
    let { whole } = item;
    if (remember && own && (!whole || this.#estimate(whole.chars) <= this.#estimate(chars)))
      whole = { chars, tokens };
    this.#items[place] = { ...item, portions, whole };
  }

  #split(chars: CharsByKind, kind: Kind, tokens: number): Portion[] {
    const portions: Portion[] = [];
    const all = this.#estimate(chars);
    if (all <= 0) return portions;
    for (const part of kinds) {
      const images = part === kind ? chars.imageTokens : 0;
      if (chars[part] === 0 && images === 0) continue;
      const own = this.calibration.textTokens(part, chars[part], defaultCharsPerToken);
      portions.push({ kind: part, tokens: tokens * ((own + images) / all) });
    }
    return portions;
  }

  #estimate(chars: CharsByKind): number {
    return this.calibration.tokens(chars, defaultCharsPerToken);
  }
}

const nothing: CountedItem = {
  chars: zeroChars,
  kind: "user",
  own: true,
  portions: null,
  whole: null,
};

const scaled = (item: CountedItem, factor: number): CountedItem => ({
  ...item,
  portions: item.portions?.map(({ kind, tokens }) => ({ kind, tokens: tokens * factor })) ?? null,
  whole: item.whole && { ...item.whole, tokens: item.whole.tokens * factor },
});

function sumPortions(portions: readonly Portion[]): number {
  let sum = 0;
  for (const { tokens } of portions) sum += tokens;
  return sum;
}

const holdsNoChars = (chars: CharsByKind): boolean => sumChars(chars) === 0;

const sum = (tokens: Record<Kind, number>): number =>
  kinds.reduce((all, kind) => all + tokens[kind], 0);
