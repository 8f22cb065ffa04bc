/** Everything that was billed, on all branches. */

import { billedFor, type Entry, type EntryId, type SubagentRun } from "../protocol/entry.ts";
import { costOf, usedBy, type Prices, type Usage } from "../protocol/model.ts";

/** Adds up what entries were billed: each once, however often it is added. */
export class Bills {
  readonly total: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };
  readonly #usages: Usage[] = [];
  readonly #known = new Set<EntryId>();
  /** Priced already: their models may have other prices. */
  #subagentsUsd = 0;
  #priced: { prices: Prices; count: number; usd: number } | null = null;

  add(entry: Entry): void {
    if (this.#known.has(entry.id)) return;
    if ("subagent" in entry && entry.subagent) this.#addSubagent(entry.id, entry.subagent);
    const usage = billedFor(entry);
    if (!usage || usedBy(usage) === 0) return;
    this.#known.add(entry.id);
    this.#usages.push(usage);
    addTo(this.total, usage);
  }

  #addSubagent(entry: EntryId, { usage, usd }: SubagentRun): void {
    this.#known.add(entry);
    this.#subagentsUsd += usd;
    addTo(this.total, usage);
  }

  /** US dollars, call by call, since a long prompt may have prices of its own. */
  usd(prices: Prices): number {
    const known = this.#priced?.prices === prices ? this.#priced : { prices, count: 0, usd: 0 };
    for (; known.count < this.#usages.length; known.count++) {
      const usage = this.#usages[known.count];
      if (usage) known.usd += costOf(usage, prices);
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
