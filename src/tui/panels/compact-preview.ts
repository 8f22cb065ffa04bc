/** What a compaction would cut, keep and cost, in lines. Pure. */

import type { Plan, Row, View } from "../../context/types.ts";
import type { Policy } from "../../protocol/policy.ts";
import { showTokens, showUsd } from "../transcript/format.ts";
import { describeEntry } from "./describe.ts";

export type Preview = {
  /** Tokens freed, cached tokens broken, price, break-even: one line. */
  price: string;
  /** The same for a narrow screen. */
  shortPrice: string;
  /** What goes, in one line, and the largest of it. */
  goes: string;
  largest: string[];
  stays: string;
};

const nothing: Preview = {
  price: "nothing to do",
  shortPrice: "nothing to do",
  goes: "There is nothing that could go yet.",
  largest: [],
  stays: "",
};

/** Items that are named one by one. */
const mostNamed = 6;

export function preview(
  plan: Plan | null,
  view: View,
  tokensOf: (row: Row) => number,
  policy: Policy,
): Preview {
  if (!plan) return nothing;
  const gone = "changes" in plan ? changedRows(plan, view) : spannedRows(plan.summarise, view);
  const largest = gone
    .map((row) => ({ row, tokens: tokensOf(row) }))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, mostNamed)
    .filter(({ tokens }) => tokens > 0)
    .map(
      ({ row, tokens }) => `${showTokens(tokens).padStart(7)}  ${describeEntry(view, row.entry)}`,
    );
  const goes =
    "changes" in plan
      ? `Goes: ${count(gone.length, "older result")}, each for a line that says how to get it back.`
      : `Goes: ${count(gone.length, "item")}, from #${plan.summarise.from} to #${plan.summarise.to}, for a summary.`;
  return {
    price: pricedLine(plan),
    shortPrice: shortPricedLine(plan),
    goes,
    largest,
    stays: staysLine(plan, view, gone, tokensOf, policy),
  };
}

function changedRows(plan: Extract<Plan, { changes: unknown }>, view: View): Row[] {
  return plan.changes.flatMap((change) => {
    const index = change.kind === "cover" ? undefined : view.indexOf(change.entry);
    const row = index === undefined ? undefined : view.rows[index];
    return row ? [row] : [];
  });
}

function spannedRows({ from, to }: { from: string; to: string }, view: View): Row[] {
  const first = view.indexOf(from) ?? 0;
  return view.rows
    .slice(first, (view.indexOf(to) ?? first) + 1)
    .filter(({ shown, pinned }) => (shown === "whole" || shown === "replaced") && !pinned);
}

function staysLine(
  plan: Plan,
  view: View,
  gone: readonly Row[],
  tokensOf: (row: Row) => number,
  policy: Policy,
): string {
  const pinned = view.rows.filter((row) => row.pinned).length;
  const pins = pinned === 0 ? "" : `, ${count(pinned, "pinned item")}`;
  if ("changes" in plan)
    return `Stays: all words, all calls, the newest ${count(policy.keepResults, "result")}${pins}.`;
  const words = gone.filter(({ entry }) => entry.type === "user").length;
  const end = view.indexOf(plan.summarise.to) ?? 0;
  const newest = view.rows.slice(end + 1).reduce((sum, row) => sum + tokensOf(row), 0);
  return `Stays: ${count(words, "message")} of yours word for word, every instruction, the todo list, files in work, the newest ${showTokens(newest)} tokens${pins}. The log keeps all of it; /undo-compact takes it back.`;
}

/** "31.2k → 9.1k tokens, 22.1k freed, 12.0k cached broken, $0.03, pays after 7 calls". */
export function pricedLine({ price }: Plan): string {
  const { usedBefore, usedAfter, cachedBroken, usd, breakEvenCalls } = price;
  const cost = usd === 0 ? "free" : showUsd(usd);
  const pays =
    breakEvenCalls === null
      ? ", never pays"
      : breakEvenCalls === 0
        ? ""
        : `, pays after ${count(breakEvenCalls, "call")}`;
  return `${showTokens(usedBefore)} → ${showTokens(usedAfter)} tokens, ${showTokens(usedBefore - usedAfter)} freed, ${showTokens(cachedBroken)} cached broken, ${cost}${pays}`;
}

/** "31.2k → 9.1k, 12.0k broken, $0.03, pays in 7". */
function shortPricedLine({ price }: Plan): string {
  const { usedBefore, usedAfter, cachedBroken, usd, breakEvenCalls } = price;
  const cost = usd === 0 ? "free" : showUsd(usd);
  const pays =
    breakEvenCalls === null
      ? ", never pays"
      : breakEvenCalls > 0
        ? `, pays in ${breakEvenCalls}`
        : "";
  return `${showTokens(usedBefore)} → ${showTokens(usedAfter)}, ${showTokens(cachedBroken)} broken, ${cost}${pays}`;
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? "" : "s"}`;
