/** Everything that was billed, on all branches. */

import { billedFor, spentElsewhere } from "../../protocol/billed.ts";
import type { Entry, EntryId, EntryOf, Spent } from "../../protocol/entry.ts";
import {
  addUsage,
  callCost,
  noUsage,
  usedBy,
  type Prices,
  type Usage,
} from "../../protocol/model.ts";

/** Adds up what entries were billed: each once, however often it is added. */
export class Bills {
  total: Usage = noUsage;
  readonly #bills: { model: string; usage: Usage }[] = [];
  #model = "";
  /** Prices of the models before the current one. */
  readonly #prices = new Map<string, Prices>();
  readonly #known = new Set<EntryId>();
  /** In US dollars already, because their models may have other prices. */
  #elsewhereUsd = 0;
  /** Some of that is at estimated prices. */
  isEstimateElsewhere = false;
  #priced: { prices: Prices; count: number; usd: number } | null = null;

  add(entry: Entry): void {
    if (this.#known.has(entry.id)) return;
    if (entry.type === "model") this.#changeModel(entry);
    else if (entry.type === "session") this.#model = entry.model;
    const elsewhere = spentElsewhere(entry);
    if (elsewhere) this.#addElsewhere(entry.id, elsewhere);
    const usage = billedFor(entry);
    if (!usage || usedBy(usage) === 0) return;
    this.#known.add(entry.id);
    this.#bills.push({ model: this.#model, usage });
    this.total = addUsage(this.total, usage);
  }

  #changeModel({ id, model, pricesBefore }: EntryOf<"model">): void {
    this.#known.add(id);
    if (pricesBefore) this.#prices.set(this.#model, pricesBefore);
    this.#prices.delete(model);
    this.#model = model;
    this.#priced = null;
  }

  #addElsewhere(entry: EntryId, { usage, usd, isEstimate }: Spent): void {
    this.#known.add(entry);
    this.#elsewhereUsd += usd;
    this.isEstimateElsewhere ||= isEstimate ?? false;
    this.total = addUsage(this.total, usage);
  }

  /** Prices of a model of this session; `prices`: of the current one. */
  billedPrices = (model: string, prices: Prices): Prices => this.#prices.get(model) ?? prices;

  /** US dollars, call by call: a long prompt, or another model, has prices of its own. */
  usd(prices: Prices): number {
    const known = this.#priced?.prices === prices ? this.#priced : { prices, count: 0, usd: 0 };
    for (const { model, usage } of this.#bills.slice(known.count))
      known.usd += callCost(usage, this.billedPrices(model, prices));
    known.count = this.#bills.length;
    this.#priced = known;
    return known.usd + this.#elsewhereUsd;
  }
}
