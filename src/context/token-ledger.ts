/** What stands in the view, in tokens: counted where a call has counted it, weighed where not yet. */

import { Calibration, usualCharsPerToken } from "./calibration.ts";
import type { Kind } from "./types.ts";
import {
  kinds,
  noChars,
  nothing,
  sameChars,
  shift,
  zeroByKind,
  type CharsByKind,
} from "./char-count.ts";

/** Tokens of the kinds that an item has: most have one or two of them. */
type Portion = { kind: Kind; tokens: number };

/** A row, or the fixed part of every request. */
type Item = {
  weight: CharsByKind;
  /** What its pictures count as. */
  kind: Kind;
  /** The entry's own content, whole or less of it; not what a cut put in its place. */
  own: boolean;
  /** Null: not counted yet. */
  tokens: readonly Portion[] | null;
  /** Of the entry's own content when it was counted. */
  full: { weight: CharsByKind; tokens: number } | null;
};

/** What a call counted, by what was expected. Beyond this, it counted something that is in no entry. */
const plausible = { least: 1 / 3, most: 3, mostAtFirst: 1.3 };

/** Places in the list of items; that of row n is n + `rowItems`. */
const systemItem = 0;
const toolsItem = 1;
const rowItems = 2;

/**
 * Each call's usage counts what came since the call before it. So every item gets its share of a
 * number that the server gave, and what a cut takes away is known, not estimated.
 */
export class TokenLedger {
  readonly calibration = new Calibration();
  readonly counted = zeroByKind();
  /** What no call has counted yet. */
  readonly open = noChars();
  readonly #items: (Item | undefined)[] = [undefined, undefined];
  readonly #waiting = new Set<Item>();
  #settled = 0;
  /** Counted tokens that are gone or changed since the last call. */
  edited = 0;
  /** The next call is another model's, with another tokenizer. */
  #rescale = false;

  /** System prompt and tools. */
  fix(system: CharsByKind, tools: CharsByKind): void {
    this.#set(systemItem, system, "system", true);
    this.#set(toolsItem, tools, "tools", true);
  }

  /** Row `index` weighs so much from now on. */
  set(index: number, weight: CharsByKind, kind: Kind, own: boolean): void {
    this.#set(index + rowItems, weight, kind, own);
  }

  #set(place: number, weight: CharsByKind, kind: Kind, own: boolean): void {
    const known = this.#items[place];
    const item = known ?? empty(kind, own);
    if (known) {
      if (item.own === own && sameChars(item.weight, weight)) return;
      this.#take(item);
    }
    this.#items[place] = item;
    item.weight = weight;
    item.kind = kind;
    item.own = own;
    const { full } = item;
    if (isNothing(weight)) this.#count(item, 0);
    else if (own && full) {
      const share = sameChars(full.weight, weight)
        ? 1
        : this.#weighed(weight) / Math.max(1, this.#weighed(full.weight));
      this.#count(item, full.tokens * Math.min(1, share));
    } else {
      shift(this.open, weight, 1);
      this.#waiting.add(item);
    }
  }

  /** Tokens of a row as it stands, or null while no call has counted it. */
  tokensOf(index: number): number | null {
    const tokens = this.#items[index + rowItems]?.tokens;
    return tokens ? portionsSum(tokens) : null;
  }

  /** Tokens of a row's own content, whole, as it was once counted. */
  fullOf(index: number): number | null {
    return this.#items[index + rowItems]?.full?.tokens ?? null;
  }

  /** Everything that is counted. */
  total(): number {
    return sum(this.counted);
  }

  /** The server counted `tokens` for all that stands in the view. */
  settle(tokens: number): void {
    if (this.#rescale) this.#scale(tokens);
    // Weighed before anything is learned: what is shared out must be what was counted.
    const waiting = [...this.#waiting].map((item) => ({
      item,
      weighed: this.#weighed(item.weight),
    }));
    const measured = tokens - this.total();
    const expected = waiting.reduce((all, { weighed }) => all + weighed, 0);
    const scale = expected > 0 ? measured / expected : 1;
    const first = this.#settled++ === 0;
    const most = first ? plausible.mostAtFirst : plausible.most;
    const believed = Math.min(most, Math.max(first ? 0 : plausible.least, scale));
    if (!first && this.edited === 0) {
      this.calibration.judge(expected, measured);
      if (believed === scale) this.calibration.learn(this.open, measured);
    }
    this.edited = 0;
    for (const { item, weighed } of waiting) {
      shift(this.open, item.weight, -1);
      this.#count(item, weighed * believed, true);
    }
    this.#waiting.clear();
    // What is in no entry, like the server's own words about tools, is part of the fixed overhead.
    const unknown = tokens - this.total();
    if (unknown > 0) this.counted.system += unknown;
  }

  /** An answer's tokens were counted by themselves. */
  answer(index: number, tokens: number): void {
    const item = this.#items[index + rowItems];
    if (!item || item.tokens || isNothing(item.weight)) return;
    this.#waiting.delete(item);
    shift(this.open, item.weight, -1);
    this.#count(item, tokens, true);
  }

  /** Whether another model than the last one counts from now on. */
  changeModel(isAnother: boolean): void {
    this.#rescale = isAnother && this.#settled > 0;
  }

  /**
   * The calls so far were another program's: what they counted beside the entries was its own system
   * prompt and tools. Ours weigh what they weigh, until a call has counted them.
   */
  forgetFraming(): void {
    for (const [place, kind] of [
      [systemItem, "system"],
      [toolsItem, "tools"],
    ] as const) {
      const weight = this.#items[place]?.weight ?? nothing;
      this.#items[place] = undefined;
      this.counted[kind] = 0;
      this.#set(place, weight, kind, true);
    }
    // Nobody knows how far it all weighs the same in the words of the model that goes on.
    this.edited = this.total();
  }

  #scale(tokens: number): void {
    this.#rescale = false;
    this.calibration.forget();
    const before = this.total() + this.#weighed(this.open);
    const factor = Math.min(2, Math.max(0.5, tokens / Math.max(1, before)));
    for (const kind of kinds) this.counted[kind] *= factor;
    for (const item of this.#items) {
      if (!item) continue;
      if (item.tokens) for (const portion of item.tokens) portion.tokens *= factor;
      if (item.full) item.full = { ...item.full, tokens: item.full.tokens * factor };
    }
  }

  #take(item: Item): void {
    if (item.tokens) {
      for (const { kind, tokens } of item.tokens) this.counted[kind] -= tokens;
      this.edited += portionsSum(item.tokens);
    } else shift(this.open, item.weight, -1);
    item.tokens = null;
    this.#waiting.delete(item);
  }

  #count(item: Item, tokens: number, remember = false): void {
    item.tokens = this.#split(item, tokens);
    for (const portion of item.tokens) this.counted[portion.kind] += portion.tokens;
    if (!remember || !item.own) return;
    if (item.full && this.#weighed(item.full.weight) > this.#weighed(item.weight)) return;
    item.full = { weight: item.weight, tokens };
  }

  #split({ weight, kind }: Item, tokens: number): Portion[] {
    const portions: Portion[] = [];
    const all = this.#weighed(weight);
    if (all <= 0) return portions;
    for (const one of kinds) {
      const images = one === kind ? weight.imageTokens : 0;
      if (weight[one] === 0 && images === 0) continue;
      const own = this.calibration.tokensOf(one, weight[one], usualCharsPerToken);
      portions.push({ kind: one, tokens: (tokens * (own + images)) / all });
    }
    return portions;
  }

  #weighed(weight: CharsByKind): number {
    return this.calibration.tokens(weight, usualCharsPerToken);
  }
}

const empty = (kind: Kind, own: boolean): Item => ({
  weight: nothing,
  kind,
  own,
  tokens: null,
  full: null,
});

const isNothing = (weight: CharsByKind): boolean => sameChars(weight, nothing);

function portionsSum(portions: readonly Portion[]): number {
  let sum = 0;
  for (const { tokens } of portions) sum += tokens;
  return sum;
}

const sum = (tokens: Record<Kind, number>): number =>
  kinds.reduce((all, kind) => all + tokens[kind], 0);
