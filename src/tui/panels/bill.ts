/** What a session cost: in total, by kind of token, by call, by cut. Pure. */

import { billedFor } from "../../protocol/billed.ts";
import type { Entry, EntryId } from "../../protocol/entry.ts";
import {
  addUsage,
  costOf,
  priceListOf,
  usedBy,
  type Prices,
  type Usage,
} from "../../protocol/model.ts";

export type Charge = {
  entry: EntryId;
  /** A model's answer, the summary of a cut, one that was not used, or a refresh of the cache. */
  what: "call" | "summary" | "unused summary" | "cache refresh";
  model: string;
  usage: Usage;
  prices: Prices;
  usd: number;
  /** The estimated and the billed cost of its prompt; null without an estimate. */
  prompt: { estimatedUsd: number; billedUsd: number } | null;
};

export type Bill = {
  /** Oldest first. */
  charges: Charge[];
  usage: Usage;
  usd: number;
  /** Dollars by kind of token. */
  by: { input: number; cacheRead: number; cacheWrite: number; output: number };
  cuts: { made: number; freedTokens: number; brokenTokens: number };
};

const none: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };

/** Every call at the prices of its model, added entry by entry. */
export class Billing {
  readonly bill: Bill = {
    charges: [],
    usage: none,
    usd: 0,
    by: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    cuts: { made: 0, freedTokens: 0, brokenTokens: 0 },
  };
  readonly #pricesOf: (model: string) => Prices;
  #model = "";

  constructor(pricesOf: (model: string) => Prices) {
    this.#pricesOf = pricesOf;
  }

  /** `estimatedUsd`: of the prompt, if it was estimated. */
  add(entry: Entry, estimatedUsd: number | null = null): void {
    const { cuts } = this.bill;
    if (entry.type === "session" || entry.type === "model") this.#model = entry.model;
    if (entry.type === "cut") {
      cuts.made++;
      cuts.freedTokens += entry.price.usedBefore - entry.price.usedAfter;
      cuts.brokenTokens += entry.price.cachedBroken;
    }
    const usage = billedFor(entry);
    if (!usage || usedBy(usage) === 0) return;
    const model = this.#model;
    this.#charge(chargeFor(entry, model, usage, this.#pricesOf(model), estimatedUsd));
  }

  #charge(charge: Charge): void {
    const { bill } = this;
    const { usage, prices } = charge;
    const priced = (part: Partial<Usage>): number =>
      costOf({ ...none, ...part }, priceListOf(usage, prices));
    const { input, cacheRead, cacheWrite, cacheWrite1h = 0, output } = usage;
    bill.charges.push(charge);
    bill.usage = addUsage(bill.usage, usage);
    bill.usd += charge.usd;
    bill.by.input += priced({ input });
    bill.by.cacheRead += priced({ cacheRead });
    bill.by.cacheWrite += priced({ cacheWrite, cacheWrite1h });
    bill.by.output += priced({ output });
  }
}

const kinds: Partial<Record<Entry["type"], Charge["what"]>> = {
  cut: "summary",
  attempt: "unused summary",
  refresh: "cache refresh",
};

function chargeFor(
  { id, type }: Entry,
  model: string,
  usage: Usage,
  prices: Prices,
  estimatedUsd: number | null,
): Charge {
  const prompt =
    estimatedUsd === null
      ? null
      : { estimatedUsd, billedUsd: costOf({ ...usage, output: 0 }, prices) };
  const what = kinds[type] ?? "call";
  return { entry: id, what, model, usage, prices, usd: costOf(usage, prices), prompt };
}
