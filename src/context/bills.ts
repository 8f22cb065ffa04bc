/** Everything that was billed, on all branches. */

import { billedFor, spentElsewhere } from "../protocol/billed.ts";
import { ByEntry } from "../protocol/by-entry.ts";
import { Column } from "../protocol/column.ts";
import type { Entry, EntryId, EntryOf, Spent } from "../protocol/entry.ts";
import { addUsage, costOf, noUsage, usedBy, type Prices, type Usage } from "../protocol/model.ts";

/** A bill holds its model, and how many tokens of each kind. */
const tokenKinds = [
  "input",
  "cacheRead",
  "cacheWrite",
  "cacheWrite1h",
  "output",
  "webSearches",
] as const satisfies readonly (keyof Usage)[];

/** Adds up what entries were billed: each once, however often it is added. */
export class Bills {
  total: Usage = noUsage;
  /** By bill. A kind that is never billed takes no memory. */
  readonly #tokens = tokenKinds.map((kind) => ({ kind, column: new Column(Float64Array) }));
  /** By bill: the index in `#models`. */
  readonly #modelOf = new Column(Uint32Array);
  readonly #models: string[] = [];
  #count = 0;
  #model = "";
  /** Prices of the models before the current one. */
  readonly #prices = new Map<string, Prices>();
  readonly #known = new ByEntry();
  /** In US dollars already, because their models may have other prices. */
  #elsewhereUsd = 0;
  #priced: { prices: Prices; count: number; usd: number } | null = null;

  add(entry: Entry): void {
    if (this.#known.has(entry.id)) return;
    if (entry.type === "model") this.#changeModel(entry);
    else if (entry.type === "session") this.#model = entry.model;
    const elsewhere = spentElsewhere(entry);
    if (elsewhere) this.#addElsewhere(entry.id, elsewhere);
    const usage = billedFor(entry);
    if (!usage || usedBy(usage) === 0) return;
    this.#known.set(entry.id, 1);
    this.#addBill(usage);
    this.total = addUsage(this.total, usage);
  }

  #addBill(usage: Usage): void {
    if (!this.#models.includes(this.#model)) this.#models.push(this.#model);
    const bill = this.#count++;
    this.#modelOf.set(bill, this.#models.indexOf(this.#model));
    for (const { kind, column } of this.#tokens) column.set(bill, usage[kind] ?? 0);
  }

  #billAt(index: number): { model: string; usage: Usage } {
    const usage: Usage = { ...noUsage };
    for (const { kind, column } of this.#tokens) usage[kind] = column.get(index);
    return { model: this.#models[this.#modelOf.get(index)] ?? "", usage };
  }

  #changeModel({ id, model, pricesBefore }: EntryOf<"model">): void {
    this.#known.set(id, 1);
    if (pricesBefore) this.#prices.set(this.#model, pricesBefore);
    this.#prices.delete(model);
    this.#model = model;
    this.#priced = null;
  }

  #addElsewhere(entry: EntryId, { usage, usd }: Spent): void {
    this.#known.set(entry, 1);
    this.#elsewhereUsd += usd;
    this.total = addUsage(this.total, usage);
  }

  /** Prices of a model of this session; `prices`: of the current one. */
  pricesOf = (model: string, prices: Prices): Prices => this.#prices.get(model) ?? prices;

  /** US dollars, call by call: a long prompt, or another model, has prices of its own. */
  usd(prices: Prices): number {
    const known = this.#priced?.prices === prices ? this.#priced : { prices, count: 0, usd: 0 };
    for (; known.count < this.#count; known.count++) {
      const { model, usage } = this.#billAt(known.count);
      known.usd += costOf(usage, this.pricesOf(model, prices));
    }
    this.#priced = known;
    return known.usd + this.#elsewhereUsd;
  }
}
