/** What a session cost: in total, by kind of token, by call, by cut. Pure. */

import { billedFor } from "../../protocol/billed.ts";
import type { Entry } from "../../protocol/entry.ts";
import {
  addUsage,
  costOf,
  noUsage,
  priceListOf,
  usedBy,
  type Prices,
  type Usage,
} from "../../protocol/model.ts";

export type Charge = {
  /** A model's answer, the summary of a cut, one that was not used, or a refresh of the cache. */
  what: "call" | "summary" | "unused summary" | "cache refresh";
  model: string;
  usage: Usage;
  usd: number;
  /** The estimated and the billed cost of its prompt; null without an estimate. */
  prompt: { estimatedUsd: number; billedUsd: number } | null;
};

const kinds: Partial<Record<Entry["type"], Charge["what"]>> = {
  cut: "summary",
  attempt: "unused summary",
  refresh: "cache refresh",
};

/** Every call at the prices of its model, added entry by entry. */
export class Bill {
  /** Oldest first. */
  readonly charges: Charge[] = [];
  usage = noUsage;
  usd = 0;
  /** Dollars by kind of token. */
  readonly by = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  readonly cuts = { made: 0, freedTokens: 0, brokenTokens: 0 };
  readonly #pricesOf: (model: string) => Prices;
  #model = "";

  constructor(pricesOf: (model: string) => Prices) {
    this.#pricesOf = pricesOf;
  }

  /** `estimatedUsd`: of the prompt, if it was estimated. */
  add(entry: Entry, estimatedUsd: number | null = null): void {
    if (entry.type === "session" || entry.type === "model") this.#model = entry.model;
    if (entry.type === "cut") {
      this.cuts.made++;
      this.cuts.freedTokens += entry.price.usedBefore - entry.price.usedAfter;
      this.cuts.brokenTokens += entry.price.cachedBroken;
    }
    const usage = billedFor(entry);
    if (!usage || usedBy(usage) === 0) return;
    const model = this.#model;
    const prices = this.#pricesOf(model);
    const usd = costOf(usage, prices);
    const billedUsd = costOf({ ...usage, output: 0 }, prices);
    const prompt = estimatedUsd === null ? null : { estimatedUsd, billedUsd };
    this.charges.push({ what: kinds[entry.type] ?? "call", model, usage, usd, prompt });
    this.usage = addUsage(this.usage, usage);
    this.usd += usd;
    const priced = (part: Partial<Usage>): number =>
      costOf({ ...noUsage, ...part }, priceListOf(usage, prices));
    const { input, cacheRead, cacheWrite, cacheWrite1h = 0, output } = usage;
    this.by.input += priced({ input });
    this.by.cacheRead += priced({ cacheRead });
    this.by.cacheWrite += priced({ cacheWrite, cacheWrite1h });
    this.by.output += priced({ output });
  }
}
