/** The bill of a session, call by call. */

import { billedFor } from "../../protocol/billed.ts";
import type { Entry } from "../../protocol/entry.ts";
import {
  addUsage,
  callCost,
  choosePrices,
  type ModelRules,
  noUsage,
  type Prices,
  type Usage,
  usedBy,
} from "../../protocol/model.ts";
import type { View } from "../types.ts";

/** The cost of a session so far: each call adds the entries since the last one. */
export function followBill({ path, bills }: View, rules: ModelRules): () => Bill {
  const bill = new Bill((model) => bills.billedPrices(model, rules.prices));
  let added = 0;
  return () => {
    for (const entry of path.slice(added)) bill.add(entry);
    added = path.length;
    return bill;
  };
}

export type Charge = {
  /** An answer, the summary of a cut, an unused summary, or a refresh of the cache. */
  what: "call" | "summary" | "unused summary" | "cache refresh";
  model: string;
  usage: Usage;
  usd: number;
  /** The prices of its model are estimates. */
  isEstimate: boolean;
};

const chargeKinds: Partial<Record<Entry["type"], Charge["what"]>> = {
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
  /** The prices of at least one model are estimates. */
  isEstimate = false;
  readonly by = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  readonly cuts = { made: 0, freedTokens: 0, brokenTokens: 0 };
  readonly #pricesOf: (model: string) => Prices;
  #model = "";

  constructor(findPrices: (model: string) => Prices) {
    this.#pricesOf = findPrices;
  }

  add(entry: Entry): void {
    if (entry.type === "session" || entry.type === "model") this.#model = entry.model;
    if (entry.type === "cut") {
      this.cuts.made++;
      this.cuts.freedTokens += entry.price.usedBefore - entry.price.usedAfter;
      this.cuts.brokenTokens += entry.price.cachedBroken;
    }
    const what = chargeKinds[entry.type] ?? "call";
    const prices = this.#pricesOf(this.#model);
    const usage = billedFor(entry);
    if (usage && usedBy(usage) > 0)
      this.#charge({ what, model: this.#model, usage, usd: callCost(usage, prices) }, prices);
    // A summary by another model than the session's.
    const spent = entry.type === "cut" || entry.type === "attempt" ? entry.spent : undefined;
    if (spent) this.#charge({ what, ...spent }, prices);
  }

  /** Divided among its kinds of tokens in the proportions of `prices`. */
  #charge(charge: Omit<Charge, "isEstimate">, prices: Prices): void {
    const { usage, usd } = charge;
    const { areEstimates: isEstimate = false } = this.#pricesOf(charge.model);
    this.charges.push({ ...charge, isEstimate });
    this.isEstimate ||= isEstimate;
    this.usage = addUsage(this.usage, usage);
    this.usd += usd;
    const atPrices = callCost(usage, prices);
    const scale = atPrices === 0 ? 0 : usd / atPrices;
    const priced = (part: Partial<Usage>): number =>
      scale * callCost({ ...noUsage, ...part }, choosePrices(usage, prices));
    const { input, cacheRead, cacheWrite, cacheWrite1h = 0, output } = usage;
    this.by.input += priced({ input });
    this.by.cacheRead += priced({ cacheRead });
    this.by.cacheWrite += priced({ cacheWrite, cacheWrite1h });
    this.by.output += priced({ output });
  }
}
