/** The cost of the session: by source, and call by call. */

import { counted } from "../../../base/in-words.ts";
import { costEstimates } from "../../../context/meter/estimate-cost.ts";
import type { View } from "../../../context/types.ts";
import { billedFor } from "../../../protocol/billed.ts";
import {
  addUsage,
  callCost,
  type ModelRules,
  noUsage,
  choosePrices,
  type Prices,
  sentBy,
  type Usage,
  usedBy,
} from "../../../protocol/model.ts";
import { type CostRow, type Costs, costsBySource } from "../../../context/meter/costs.ts";
import type { Entry } from "../../../protocol/entry.ts";
import type { Policy } from "../../../protocol/policy.ts";
import type { Host } from "../../host.ts";
import { fit, type Line, pad, span, wrapWords } from "../../line.ts";
import { Memo } from "../../memo.ts";
import { sanitizeLine } from "../../sanitize.ts";
import { showTokens, showUsd } from "../../transcript/format.ts";
import { type PanelModel, readerPanel } from "../panel.ts";

const minUsd = 0.00005;

/** From this width on, estimates fit beside each call. */
const wide = 84;

export function costPanel(host: Host): PanelModel {
  const memo = new Memo<ReturnType<typeof follow>>();
  const sources = new Memo<Costs>();
  return readerPanel((columns) => {
    const { view, reading, rules, options } = host;
    const keys = [view.path, rules, options.policy];
    const bill = memo.get(keys, () => follow(view, rules, options.policy))();
    const elsewhere = reading.cost.session - bill.usd;
    const calls = counted(bill.charges.length, "call");
    const { session: usd, isEstimate } = reading.cost;
    const total = showUsd(usd, isEstimate);
    const title = `Cost: ${usd === 0 ? `${calls}, without a price` : `${total} in ${calls}`}`;
    const lines = [
      ...(elsewhere > minUsd
        ? [
            `${showUsd(elsewhere, isEstimate)} of it for subagents, web searches and abandoned branches.`,
          ]
        : []),
      ...(isEstimate ? [estimated] : []),
      ...layoutSources(sources.get([view.version, rules], () => costsBySource(view.path, rules))),
      ...layoutBill(bill, columns),
    ];
    return { title, hint: "Tab next view · Esc close", lines };
  });
}

/** A row for each; nothing when there is none. */
function layoutSources({ subagents, mcp_servers, skills }: Costs): Line[] {
  const rows = (kind: string, of: readonly CostRow[]): string[] =>
    of.map(({ name, calls, tokens, usd, is_estimate }) => {
      const label = pad(fit(sanitizeLine(`${kind} ${name}`), nameWidth), nameWidth);
      const called = counted(calls, "call").padStart(10);
      return `${label}${called}${showTokens(tokens).padStart(8)}${showUsd(usd, is_estimate).padStart(10)}`;
    });
  const lines = [
    ...rows("subagent", subagents),
    ...rows("server", mcp_servers),
    ...rows("skill", skills),
  ];
  return lines.length === 0 ? [] : [...lines, ""];
}

const nameWidth = 28;

const estimated =
  "The prices of this model are estimates; models.json takes the true ones: /help cost.";

/** The cost of a session so far: each call adds the entries since the last one. */
function follow({ path, bills }: View, rules: ModelRules, policy: Policy): () => Bill {
  const findPrices = (model: string): Prices => bills.billedPrices(model, rules.prices);
  const bill = new Bill(findPrices);
  const estimate = costEstimates(rules, policy, findPrices);
  let added = 0;
  return () => {
    for (const entry of path.slice(added)) bill.add(entry, estimate(entry));
    added = path.length;
    return bill;
  };
}

type Charge = {
  /** A model's answer, the summary of a cut, one that was not used, or a refresh of the cache. */
  what: "call" | "summary" | "unused summary" | "cache refresh";
  model: string;
  usage: Usage;
  usd: number;
  /** The prices of its model are. */
  isEstimate: boolean;
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
  /** The prices of one of its models are. */
  isEstimate = false;
  readonly by = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  readonly cuts = { made: 0, freedTokens: 0, brokenTokens: 0 };
  readonly #pricesOf: (model: string) => Prices;
  #model = "";

  constructor(findPrices: (model: string) => Prices) {
    this.#pricesOf = findPrices;
  }

  /** `estimatedUsd`: of the prompt, if it was estimated. */
  add(entry: Entry, estimatedUsd: number | null = null): void {
    if (entry.type === "session" || entry.type === "model") this.#model = entry.model;
    if (entry.type === "cut") {
      this.cuts.made++;
      this.cuts.freedTokens += entry.price.usedBefore - entry.price.usedAfter;
      this.cuts.brokenTokens += entry.price.cachedBroken;
    }
    const what = chargeKinds[entry.type] ?? "call";
    const prices = this.#pricesOf(this.#model);
    const usage = billedFor(entry);
    if (usage && usedBy(usage) > 0) {
      const usd = callCost(usage, prices);
      const billedUsd = callCost({ ...usage, output: 0 }, prices);
      const prompt = estimatedUsd === null ? null : { estimatedUsd, billedUsd };
      this.#charge({ what, model: this.#model, usage, usd, prompt }, prices);
    }
    // A summary by another model than the session's.
    const spent = entry.type === "cut" || entry.type === "attempt" ? entry.spent : undefined;
    if (spent) this.#charge({ what, ...spent, prompt: null }, prices);
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

/** Newest call first, in a table of the columns that say something and fit. Pure. */
export function layoutBill(bill: Bill, columns: number): Line[] {
  const { usage, by, cuts, usd, isEstimate } = bill;
  const isPriced = usd > 0;
  const isCached = usage.cacheRead + usage.cacheWrite > 0;
  const part = (name: string, tokens: number, cost: number): string =>
    `${name.padEnd(16)} ${showTokens(tokens).padStart(8)}${isPriced ? showUsd(cost, isEstimate).padStart(10) : ""}`;
  const broken =
    cuts.brokenTokens === 0 ? "" : ` and invalidated ${showTokens(cuts.brokenTokens)} cached ones`;
  const cutLine = `${counted(cuts.made, "compaction")} freed ${showTokens(cuts.freedTokens)} tokens${broken}.`;
  return [
    part(isCached ? "uncached" : "sent", usage.input, by.input),
    ...(isCached
      ? [
          part("cache written", usage.cacheWrite, by.cacheWrite),
          part("cache read", usage.cacheRead, by.cacheRead),
        ]
      : []),
    part("answers", usage.output, by.output),
    ...(isCached
      ? [`${share(usage.cacheRead, sentBy(usage))} of the input came from the cache.`]
      : []),
    ...estimateLine(bill).flatMap((line) => wrapWords(line, columns)),
    ...(cuts.made === 0 ? [] : [cutLine]),
    "",
    ...chargeTable(bill.charges.toReversed(), { columns, isPriced, isCached }),
  ];
}

function chargeTable(
  charges: readonly Charge[],
  shown: { columns: number; isPriced: boolean; isCached: boolean },
): Line[] {
  const { columns, isPriced, isCached } = shown;
  const isRoomy = columns >= 60;
  const all: [title: string, width: number, isShown: boolean, cell: (of: Charge) => string][] = [
    ["sent", 8, true, ({ usage }) => showTokens(sentBy(usage))],
    ["cached", 8, isCached && isRoomy, ({ usage }) => share(usage.cacheRead, sentBy(usage))],
    ["answer", 8, isRoomy || !isPriced, ({ usage }) => showTokens(usage.output)],
    ["cost", 10, isPriced, ({ usd, isEstimate }) => showUsd(usd, isEstimate)],
    ["prompt: expected, billed", 26, isPriced && columns >= wide, showPrompt],
  ];
  const table = all.filter(([, , isShown]) => isShown);
  const row = (cells: readonly string[], name: string): string =>
    cells.map((cell, at) => cell.padStart(table[at]?.[1] ?? 0)).join("") +
    (isRoomy ? `  ${name}` : "");
  const titles = table.map(([title]) => title);
  return [
    span("heading", row(titles, "call")),
    ...charges.map((charge) => {
      const { what, model } = charge;
      const name = sanitizeLine(what === "call" ? model : `${what}, ${model}`);
      const cells = table.map(([, , , cell]) => cell(charge));
      return row(cells, name);
    }),
  ];
}

/** "98 %" */
const share = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`;

const showPrompt = ({ prompt, isEstimate }: Charge): string =>
  prompt
    ? `${showUsd(prompt.estimatedUsd, isEstimate)}, ${showUsd(prompt.billedUsd, isEstimate)}`
    : "";

/** The estimate against the bill. The first call of a session is left out: it is a guess. */
function estimateLine({ charges, isEstimate }: Bill): string[] {
  const prompts = charges.flatMap(({ prompt }) => (prompt ? [prompt] : [])).slice(1);
  const estimatedUsd = prompts.reduce((sum, prompt) => sum + prompt.estimatedUsd, 0);
  const billedUsd = prompts.reduce((sum, prompt) => sum + prompt.billedUsd, 0);
  if (billedUsd === 0) return [];
  const error = ((estimatedUsd / billedUsd - 1) * 100).toFixed(1).replace(/^-(0\.0)$/, "$1");
  return [
    `Prompts after the first: estimated ${showUsd(estimatedUsd, isEstimate)}, billed ${showUsd(billedUsd, isEstimate)} (${Number(error) > 0 ? "+" : ""}${error} %).`,
  ];
}
