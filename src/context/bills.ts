/** Everything that was billed, on all branches. */

import {
  billedFor,
  type Entry,
  type EntryId,
  type EntryOf,
  type SubagentRun,
} from "../protocol/entry.ts";
import { costOf, usedBy, type Prices, type Usage } from "../protocol/model.ts";

/** Adds up what entries were billed: each once, however often it is added. */
export class Bills {
  readonly total: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };
  readonly #bills: { model: string; usage: Usage }[] = [];
  #model = "";
  /** Of the models before the current one. */
  readonly #prices = new Map<string, Prices>();
  readonly #known = new Set<EntryId>();
  /** Priced already: their models may have other prices. */
  #subagentsUsd = 0;
  #priced: { prices: Prices; count: number; usd: number } | null = null;

  add(entry: Entry): void {
    if (this.#known.has(entry.id)) return;
    if (entry.type === "model") this.#changeModel(entry);
    else if (entry.type === "session") this.#model = entry.model;
    if ("subagent" in entry && entry.subagent) this.#addSubagent(entry.id, entry.subagent);
    const usage = billedFor(entry);
    if (!usage || usedBy(usage) === 0) return;
    this.#known.add(entry.id);
    this.#bills.push({ model: this.#model, usage });
    addTo(this.total, usage);
  }

  #changeModel({ id, model, pricesBefore }: EntryOf<"model">): void {
    this.#known.add(id);
    if (pricesBefore) this.#prices.set(this.#model, pricesBefore);
    this.#prices.delete(model);
    this.#model = model;
    this.#priced = null;
  }

  #addSubagent(entry: EntryId, { usage, usd }: SubagentRun): void {
    this.#known.add(entry);
    this.#subagentsUsd += usd;
    addTo(this.total, usage);
  }

  /** US dollars, call by call: a long prompt, or another model, has prices of its own. */
  usd(prices: Prices): number {
    const known = this.#priced?.prices === prices ? this.#priced : { prices, count: 0, usd: 0 };
    for (; known.count < this.#bills.length; known.count++) {
      const bill = this.#bills[known.count];
      if (bill) known.usd += costOf(bill.usage, this.#prices.get(bill.model) ?? prices);
    }
    this.#priced = known;
    return known.usd + this.#subagentsUsd;
  }
}

function addTo(sum: Usage, usage: Usage): void {
  sum.input += usage.input;
  sum.cacheRead += usage.cacheRead;
  sum.cacheWrite += usage.cacheWrite;
  sum.cacheWrite1h = (sum.cacheWrite1h ?? 0) + (usage.cacheWrite1h ?? 0);
  sum.output += usage.output;
}
