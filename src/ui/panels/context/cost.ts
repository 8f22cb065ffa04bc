/** What the session cost: by kind of token, and call by call. */

import { counted } from "../../../base/in-words.ts";
import { costEstimates } from "../../../context/meter/estimate-cost.ts";
import type { View } from "../../../context/types.ts";
import { billedFor } from "../../../protocol/billed.ts";
import {
  addUsage,
  costOf,
  noUsage,
  priceListOf,
  sentBy,
  usedBy,
  type ModelRules,
  type Prices,
  type Usage,
} from "../../../protocol/model.ts";
import type { Entry } from "../../../protocol/entry.ts";
import type { Policy } from "../../../protocol/policy.ts";
import type { Host } from "../../host.ts";
import { span, type Line } from "../../line.ts";
import { Memo } from "../../memo.ts";
import { sanitizeLine } from "../../sanitize.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";
import { wrapWords } from "../../wrap.ts";
import type { PanelModel } from "../panel.ts";
import { readerPanel, textContent } from "../reader-panel.ts";

/** Less than this, in US dollars, is not shown. */
const minUsd = 0.00005;

/** From this width on, estimates fit beside each call. */
const wide = 84;

export function costPanel(host: Host): PanelModel {
  const memo = new Memo<ReturnType<typeof follow>>();
  return readerPanel({
    content(columns) {
      const { view, reading, rules, options } = host;
      const keys = [view.path, rules, options.policy];
      const { bill, addNew } = memo.get(keys, () => follow(view, rules, options.policy));
      if (!addNew()) {
        setImmediate(() => host.redraw());
        const so = `Cost: ${counted(bill.charges.length, "call")} of this session so far …`;
        return textContent(so, "Tab next view · Esc close", []);
      }
      const elsewhere = reading.cost.session - bill.usd;
      const title = `Cost: ${showUsd(reading.cost.session)} in ${counted(bill.charges.length, "call")}`;
      return textContent(title, "Tab next view · Esc close", [
        ...(elsewhere > minUsd
          ? [`${showUsd(elsewhere)} of it for subagents, web searches and abandoned branches.`]
          : []),
        ...layoutBill(bill, columns),
      ]);
    },
  });
}

/** Milliseconds that adding up may take between two frames. */
const sliceMs = 8;

/** The cost of a session, added up as it grows: reading all of a long one takes seconds. */
function follow({ path, bills }: View, rules: ModelRules, policy: Policy) {
  const pricesOf = (model: string): Prices => bills.pricesOf(model, rules.prices);
  const bill = new Bill(pricesOf);
  const estimate = costEstimates(rules, policy, pricesOf);
  let added = 0;
  /** Adds new entries. Returns whether all of them have been added. */
  const addNew = (): boolean => {
    const endMs = performance.now() + sliceMs;
    for (; added < path.length; added++) {
      const entry = path[added];
      if (!entry || performance.now() > endMs) return false;
      bill.add(entry, estimate(entry));
    }
    return true;
  };
  return { bill, addNew };
}

type Charge = {
  /** A model's answer, the summary of a cut, one that was not used, or a refresh of the cache. */
  what: "call" | "summary" | "unused summary" | "cache refresh";
  model: string;
  usage: Usage;
  usd: number;
  /** The estimated and the billed cost of its prompt; null without an estimate. */
  prompt: { estimatedUsd: number; billedUsd: number } | null;
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
    this.charges.push({ what: chargeKinds[entry.type] ?? "call", model, usage, usd, prompt });
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

/** Newest call first. A narrow screen shows only what a call read and what it cost. Pure. */
export function layoutBill(bill: Bill, columns: number): Line[] {
  const { usage, by, cuts } = bill;
  const part = (name: string, tokens: number, usd: number): string =>
    `${name.padEnd(16)} ${showTokens(tokens).padStart(8)} ${showUsd(usd).padStart(9)}`;
  const prompt = sentBy(usage);
  const cached = prompt === 0 ? 0 : Math.round((usage.cacheRead / prompt) * 100);
  const cutLine = `${counted(cuts.made, "compaction")} freed ${showTokens(cuts.freedTokens)} tokens and invalidated ${showTokens(cuts.brokenTokens)} cached ones.`;
  return [
    part("uncached", usage.input, by.input),
    part("cache written", usage.cacheWrite, by.cacheWrite),
    part("cache read", usage.cacheRead, by.cacheRead),
    part("answers", usage.output, by.output),
    `${cached} % of the input came from the cache.`,
    ...estimateLine(bill).flatMap((line) => wrapWords(line, columns)),
    ...(cuts.made === 0 ? [] : [cutLine]),
    "",
    span(
      "heading",
      columns < 60
        ? "Calls: sent, cost"
        : `Calls: sent, from the cache, answer, cost${columns < wide ? "" : " (prompt: estimated, billed)"}`,
    ),
    ...bill.charges.toReversed().map((charge) => layoutCharge(charge, columns)),
  ];
}

/** The estimate against the bill. The first call of a session is left out: it is a guess. */
function estimateLine({ charges }: Bill): string[] {
  const prompts = charges.flatMap(({ prompt }) => (prompt ? [prompt] : [])).slice(1);
  const estimatedUsd = prompts.reduce((sum, one) => sum + one.estimatedUsd, 0);
  const billedUsd = prompts.reduce((sum, one) => sum + one.billedUsd, 0);
  if (billedUsd === 0) return [];
  const error = ((estimatedUsd / billedUsd - 1) * 100).toFixed(1).replace(/^-(0\.0)$/, "$1");
  return [
    `Prompts after the first: estimated ${showUsd(estimatedUsd)}, billed ${showUsd(billedUsd)} (${Number(error) > 0 ? "+" : ""}${error} %).`,
  ];
}

const estimateOf = (prompt: Charge["prompt"]): string =>
  prompt ? `${showUsd(prompt.estimatedUsd)}, ${showUsd(prompt.billedUsd)}` : "";

function layoutCharge({ what, model, usage, usd, prompt }: Charge, columns: number): string {
  const sent = sentBy(usage);
  const price = showUsd(usd).padStart(9);
  if (columns < 60) return `${showTokens(sent).padStart(7)} ${price}`;
  const cached = sent === 0 ? 0 : Math.round((usage.cacheRead / sent) * 100);
  const name = what === "call" ? model : `${what}, ${model}`;
  const estimate = columns < wide ? "" : `${estimateOf(prompt).padEnd(18)} `;
  return `${showTokens(sent).padStart(7)} ${`${cached} %`.padStart(6)} ${showTokens(usage.output).padStart(7)} ${price}  ${estimate}${sanitizeLine(name)}`;
}
