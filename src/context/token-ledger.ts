/** Tokens of everything in the view: counted by a call where possible, estimated otherwise. */

import { Calibration, defaultCharsPerToken } from "./calibration.ts";
import {
  kinds,
  newCharsByKind,
  zeroChars,
  sameChars,
  shift,
  zeroByKind,
  type CharsByKind,
  type Kind,
} from "./char-count.ts";

/** Tokens of one kind in an item; most items have one or two kinds. */
type Portion = { kind: Kind; tokens: number };

/** A row, or the fixed part of every request. */
type Item = {
  readonly place: number;
  chars: CharsByKind;
  /** The kind that its images belong to. */
  kind: Kind;
  /** Shows the entry's own content, all or part of it, and not the text of a cut. */
  own: boolean;
  /** Null: not counted yet. */
  tokens: readonly Portion[] | null;
  /** The entry's own content when it was counted. */
  whole: { chars: CharsByKind; tokens: number } | null;
};

/** Plausible ratios of counted to expected tokens. Outside, the call counted something in no entry. */
const plausible = { min: 1 / 3, max: 3, maxAtFirst: 1.3 };

/** Indexes in the list of items; row n is at n + `rowItems`. */
const systemItem = 0;
const toolsItem = 1;
const rowItems = 2;

/**
 * Each call's usage counts what was added since the call before it. That number is divided among the
 * new items, so the size of what a cut removes is known, not estimated.
 */
export class TokenLedger {
  readonly calibration = new Calibration();
  readonly counted = zeroByKind();
  /** Characters that no call has counted yet. */
  readonly uncounted = newCharsByKind();
  readonly #items: (Item | undefined)[] = [undefined, undefined];
  /** Tokens of each item, in a list of their own: plans add up those of thousands of rows. */
  readonly #totals: (number | null)[] = [null, null];
  readonly #waiting = new Set<Item>();
  #counts = 0;
  /** Counted tokens that were removed or changed since the last call. */
  editedTokens = 0;
  /** The next call uses another model, with another tokenizer. */
  #rescale = false;

  /** System prompt and tools. */
  setFixedParts(system: CharsByKind, tools: CharsByKind): void {
    this.#set(systemItem, system, "system", true);
    this.#set(toolsItem, tools, "tools", true);
  }

  /** Sets the content of row `index`. */
  set(index: number, chars: CharsByKind, kind: Kind, own: boolean): void {
    this.#set(index + rowItems, chars, kind, own);
  }

  #set(place: number, chars: CharsByKind, kind: Kind, own: boolean): void {
    const known = this.#items[place];
    const item = known ?? empty(place, kind, own);
    if (known) {
      if (item.own === own && sameChars(item.chars, chars)) return;
      this.#remove(item);
    } else this.#totals[place] = null;
    this.#items[place] = item;
    item.chars = chars;
    item.kind = kind;
    item.own = own;
    const { whole } = item;
    if (isNothing(chars)) this.#assign(item, 0);
    else if (own && whole && this.#estimate(chars) <= this.#estimate(whole.chars)) {
      const share = sameChars(whole.chars, chars)
        ? 1
        : this.#estimate(chars) / Math.max(1, this.#estimate(whole.chars));
      this.#assign(item, whole.tokens * share);
    } else {
      shift(this.uncounted, chars, 1);
      this.#waiting.add(item);
    }
  }

  /** Tokens of a row as shown, or null if no call has counted it. */
  tokensOf(index: number): number | null {
    return this.#totals[index + rowItems] ?? null;
  }

  /** Tokens of a row's own content, shown whole, as a call once counted it. */
  wholeTokensOf(index: number): number | null {
    return this.#items[index + rowItems]?.whole?.tokens ?? null;
  }

  /** All counted tokens. */
  total(): number {
    return sum(this.counted);
  }

  /** The server counted `tokens` for the whole view. */
  count(tokens: number): void {
    if (this.#rescale) this.#scale(tokens);
    // Estimated before learning changes the estimates, so that the shares add up.
    const waiting = [...this.#waiting].map((item) => ({
      item,
      estimate: this.#estimate(item.chars),
    }));
    const measured = tokens - this.total();
    const expected = waiting.reduce((all, { estimate }) => all + estimate, 0);
    const scale = expected > 0 ? measured / expected : 1;
    const first = this.#counts++ === 0;
    const max = first ? plausible.maxAtFirst : plausible.max;
    const believed = Math.min(max, Math.max(first ? 0 : plausible.min, scale));
    if (!first && this.editedTokens === 0) {
      this.calibration.adaptError(expected, measured);
      if (believed === scale) this.calibration.learn(this.uncounted, measured);
    }
    this.editedTokens = 0;
    for (const { item, estimate } of waiting) {
      shift(this.uncounted, item.chars, -1);
      this.#assign(item, estimate * believed, true);
    }
    this.#waiting.clear();
    // Tokens that are in no entry, like the server's own tool prompt, are fixed overhead.
    const unknown = tokens - this.total();
    if (unknown > 0) this.counted.system += unknown;
  }

  /** The server reported an answer's tokens separately. */
  countAnswer(index: number, tokens: number): void {
    const item = this.#items[index + rowItems];
    if (!item || item.tokens || isNothing(item.chars)) return;
    this.#waiting.delete(item);
    shift(this.uncounted, item.chars, -1);
    this.#assign(item, tokens, true);
  }

  /** Notes whether the next call uses another model than the last one. */
  changeModel(isAnother: boolean): void {
    this.#rescale = isAnother && this.#counts > 0;
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
      const chars = this.#items[place]?.chars ?? zeroChars;
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
    const factor = Math.min(2, Math.max(0.5, tokens / Math.max(1, before)));
    for (const kind of kinds) this.counted[kind] *= factor;
    for (const item of this.#items) {
      if (!item) continue;
      const scaled = item.tokens?.map(({ kind, tokens }) => ({ kind, tokens: tokens * factor }));
      this.#setTokens(item, scaled ?? null);
      if (item.whole) item.whole = { ...item.whole, tokens: item.whole.tokens * factor };
    }
  }

  #remove(item: Item): void {
    if (item.tokens) {
      for (const { kind, tokens } of item.tokens) this.counted[kind] -= tokens;
      this.editedTokens += portionsSum(item.tokens);
    } else shift(this.uncounted, item.chars, -1);
    this.#setTokens(item, null);
    this.#waiting.delete(item);
  }

  #assign(item: Item, tokens: number, remember = false): void {
    const portions = this.#split(item, tokens);
    this.#setTokens(item, portions);
    for (const portion of portions) this.counted[portion.kind] += portion.tokens;
    if (!remember || !item.own) return;
    if (item.whole && this.#estimate(item.whole.chars) > this.#estimate(item.chars)) return;
    item.whole = { chars: item.chars, tokens };
  }

  #setTokens(item: Item, portions: readonly Portion[] | null): void {
    item.tokens = portions;
    this.#totals[item.place] = portions && portionsSum(portions);
  }

  #split({ chars, kind }: Item, tokens: number): Portion[] {
    const portions: Portion[] = [];
    const all = this.#estimate(chars);
    if (all <= 0) return portions;
    for (const one of kinds) {
      const images = one === kind ? chars.imageTokens : 0;
      if (chars[one] === 0 && images === 0) continue;
      const own = this.calibration.tokensOf(one, chars[one], defaultCharsPerToken);
      portions.push({ kind: one, tokens: (tokens * (own + images)) / all });
    }
    return portions;
  }

  #estimate(chars: CharsByKind): number {
    return this.calibration.tokens(chars, defaultCharsPerToken);
  }
}

const empty = (place: number, kind: Kind, own: boolean): Item => ({
  place,
  chars: zeroChars,
  kind,
  own,
  tokens: null,
  whole: null,
});

const isNothing = (chars: CharsByKind): boolean => sameChars(chars, zeroChars);

function portionsSum(portions: readonly Portion[]): number {
  let sum = 0;
  for (const { tokens } of portions) sum += tokens;
  return sum;
}

const sum = (tokens: Record<Kind, number>): number =>
  kinds.reduce((all, kind) => all + tokens[kind], 0);
