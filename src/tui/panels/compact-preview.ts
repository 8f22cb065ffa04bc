/** What a compaction would remove, keep and cost, in words. Pure. */

import type { Span } from "../../protocol/entry.ts";
import { counted } from "../../protocol/in-words.ts";
import type { Plan, Row, View } from "../../context/types.ts";
import type { Policy } from "../../protocol/policy.ts";
import { rowOf } from "../../context/row-of.ts";
import { rangeOf, rowsOf } from "../../context/row-range.ts";
import { showTokens, showUsd } from "../transcript/format.ts";
import { describeEntry } from "./describe.ts";
import { largestFirst } from "./shares.ts";

export type CompactPreview = {
  /** "Clear 21 old results: 76k → 38k tokens, free", then shorter for narrow screens. */
  sentences: string[];
  /** The price of a changed prefix; empty: none. */
  cache: string;
  removed: string;
  /** The largest of what is removed, one line each. */
  largest: string[];
  kept: string;
};

/** Items that are listed one by one. */
const maxListed = 6;

export function previewOf(
  plan: Plan,
  view: View,
  tokensOf: (row: Row) => number,
  policy: Policy,
): CompactPreview {
  const rows = "changes" in plan ? changedRows(plan, view) : coveredRows(plan.summarize, view);
  const sized = largestFirst(
    rows.filter((row) => isRemoved(plan, row)),
    tokensOf,
  );
  const rest = sized.length - maxListed;
  const largest = sized
    .slice(0, maxListed)
    .map(
      ({ row, tokens }) => `${showTokens(tokens).padStart(7)}  ${describeEntry(view, row.entry)}`,
    );
  const clears = "changes" in plan;
  const what = clears
    ? `Clear ${counted(rows.length, "old result")}`
    : `Summarize ${counted(rows.filter(({ entry }) => entry.type !== "context").length, "message")}`;
  const { usedBefore, usedAfter } = plan.price;
  const change = `${showTokens(usedBefore)} → ${showTokens(usedAfter)}`;
  return {
    sentences: [
      `${what}: ${change} tokens, ${costOfPlan(plan)}`,
      `${what}: ${change}, ${plan.price.usd === 0 ? "no cost" : showUsd(plan.price.usd)}`,
      `${what}: ${change}`,
      `${clears ? "Clear" : "Summarize"}: ${change}`,
    ],
    cache:
      plan.price.cachedBroken === 0
        ? ""
        : `Invalidates ${showTokens(plan.price.cachedBroken)} cached tokens.`,
    removed: clears
      ? "Removed, each replaced by one line that says how to get it back (largest first):"
      : "Removed, replaced by a summary (largest first):",
    largest: rest > 0 ? [...largest, `         and ${rest} more`] : largest,
    kept: keptLine(plan, view, rows, tokensOf, policy),
  };
}

/** The user's own words stay in a summary verbatim. */
const isRemoved = (plan: Plan, { entry }: Row): boolean =>
  "changes" in plan || entry.type !== "user";

function changedRows(plan: Extract<Plan, { changes: unknown }>, view: View): Row[] {
  return plan.changes.flatMap((change) => {
    if (change.kind !== "replace") return [];
    const row = rowOf(view, change.entry);
    return row ? [row] : [];
  });
}

const coveredRows = (span: Span, view: View): Row[] =>
  rowsOf(view, span).filter(
    ({ shown, pinned }) => (shown === "whole" || shown === "replaced") && !pinned,
  );

function keptLine(
  plan: Plan,
  view: View,
  rows: readonly Row[],
  tokensOf: (row: Row) => number,
  policy: Policy,
): string {
  const pinned = view.rows.filter((row) => row.pinned).length;
  const pins = pinned === 0 ? "" : `, ${counted(pinned, "pinned item")}`;
  if ("changes" in plan)
    return `Kept: all messages and calls, the newest ${counted(policy.keepResults, "result")}${pins}.`;
  const messages = rows.filter(({ entry }) => entry.type === "user").length;
  const own = messages === 1 ? "your message" : `your ${messages} messages`;
  const { to } = rangeOf(view, plan.summarize);
  const newest = view.rows.slice(to + 1).reduce((sum, row) => sum + tokensOf(row), 0);
  return `Kept: ${messages === 0 ? "" : `${own} verbatim, `}your instructions, the todo list, active files, the latest messages (${showTokens(newest)} tokens)${pins}. /undo-compact undoes it.`;
}

/** "no cost", or what it costs and when that has paid off. */
function costOfPlan({ price }: Plan): string {
  const { usd, breakEvenCalls } = price;
  if (usd === 0) return "no cost";
  if (breakEvenCalls === null) return `costs ${showUsd(usd)}, never pays off`;
  const pays = breakEvenCalls === 0 ? "" : `, pays off after ${counted(breakEvenCalls, "call")}`;
  return `costs ${showUsd(usd)}${pays}`;
}
