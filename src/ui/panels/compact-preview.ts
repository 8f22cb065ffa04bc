/** Text of a compaction preview: what is removed, kept and paid. */

import { attemptUsd } from "../../context/meter/cache.ts";
import { largestFirst } from "../../context/meter/shares.ts";
import { standingContext } from "../../context/view/standing-context.ts";
import { spanRange, findRow, spanRows } from "../../context/view/rows.ts";
import type { Plan, Row, Signals, View } from "../../context/types.ts";
import { counted } from "../../base/format.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import { sanitizeLine } from "../sanitize.ts";
import { describeEntry, showTokens, showUsd } from "../transcript/format.ts";

export type CompactPreview = {
  freed: number;
  /** "Clear 21 old results: 76k → 38k tokens, free", then shorter for narrow screens. */
  sentences: string[];
  cache: string;
  removed: string;
  largest: string[];
  kept: string;
};

const maxListed = 6;

/** `by`: the summarizing model, if there is a choice of models. */
export function previewPlan(
  plan: Plan,
  { view, policy, rules }: Signals,
  countTokens: (row: Row) => number,
  by?: string,
): CompactPreview {
  const clears = "changes" in plan;
  const rows = clears
    ? plan.changes.flatMap((change) =>
        change.kind === "replace" ? (findRow(view, change.entry) ?? []) : [],
      )
    : spanRows(view, plan.summarize).filter(
        ({ shown, pinned }) => (shown === "whole" || shown === "replaced") && !pinned,
      );
  // User messages and standing context are kept verbatim beside a summary.
  const kept = clears ? [] : standingContext(spanRange(view, plan.summarize));
  const removed = clears
    ? rows
    : rows.filter(({ entry }) => entry.type !== "user" && !kept.some(({ id }) => id === entry.id));
  const sized = largestFirst(removed, countTokens);
  const rest = sized.length - maxListed;
  const largest = sized
    .slice(0, maxListed)
    .map(
      ({ row, tokens }) => `${showTokens(tokens).padStart(7)}  ${describeEntry(view, row.entry)}`,
    );
  const { usedBefore, usedAfter, cachedBroken, usd, isEstimate } = plan.price;
  const paid = view.draft && "draft" in plan ? attemptUsd(view.draft, rules) : null;
  const free = rules.prices.input > 0 ? ", no cost" : "";
  const cost = paid === null ? describeCost(plan, free) : describeReady(plan, paid);
  const what = plan.action.replace(/^./, (first) => first.toUpperCase());
  // Estimated until the server has counted.
  const change = `${showTokens(usedBefore)} → ~${showTokens(usedAfter)}`;
  const sentences = [
    `${what}: ${change} tokens${cost}`,
    `${what}: ${change}${usd === 0 ? free : `, ${showUsd(usd, isEstimate)}`}`,
    `${what}: ${change}`,
    `${clears ? "Clear" : "Summarize"}: ${change}`,
  ];
  return {
    freed: usedBefore - usedAfter,
    sentences: by === undefined ? sentences : writtenBy(sentences, by, view),
    cache: cachedBroken === 0 ? "" : `${showTokens(cachedBroken)} tokens must be cached again.`,
    removed: clears
      ? "Removed, each replaced by one line that says how to get it back (largest first):"
      : "Removed, replaced by a summary (largest first):",
    largest: rest > 0 ? [...largest, `         and ${rest} more`] : largest,
    kept: keptLine(plan, view, rows, countTokens, policy),
  };
}

/** Prefixes the sentences with the model, and adds the losses of its latest summary. */
function writtenBy(sentences: readonly string[], model: string, view: View): string[] {
  const latest = view.path.findLast(
    (entry): entry is EntryOf<"cut"> =>
      entry.type === "cut" &&
      entry.summary?.by === "model" &&
      (entry.spent?.model ?? view.model) === model,
  );
  const lost = latest?.summary?.losses.length;
  const report = lost === undefined ? "" : `; its last one lost ${counted(lost, "detail")}`;
  const named = sentences.map((sentence) => `By ${sanitizeLine(model)}: ${sentence}`);
  return [`${named[0]}${report}`, ...named];
}

function keptLine(
  plan: Plan,
  view: View,
  rows: readonly Row[],
  countTokens: (row: Row) => number,
  policy: Policy,
): string {
  const pinned = view.rows.filter((row) => row.pinned).length;
  const pins = pinned === 0 ? "" : `, ${counted(pinned, "pinned item")}`;
  if ("changes" in plan)
    return `Kept: all messages and calls, the newest ${counted(policy.keepResults, "result")}${pins}.`;
  const messages = rows.filter(({ entry }) => entry.type === "user").length;
  const own = messages === 1 ? "your message" : `your ${messages} messages`;
  const { to } = spanRange(view, plan.summarize);
  const newest = view.rows.slice(to + 1).reduce((sum, row) => sum + countTokens(row), 0);
  const latest = newest === 0 ? "" : `, the latest messages (${showTokens(newest)} tokens)`;
  return `Kept: ${messages === 0 ? "" : `${own} verbatim, `}your instructions, the todo list, active files${latest}${pins}. /undo-compact undoes it.`;
}

/** A ready summary: its cost is already spent. */
const describeReady = ({ price: { usd, isEstimate } }: Plan, paid: number): string =>
  `, the summary is ready (${showUsd(paid, isEstimate)} paid), costs ${usd === 0 ? "nothing" : showUsd(usd, isEstimate)} more`;

function describeCost({ price }: Plan, free: string): string {
  const { usd, breakEvenCalls, isEstimate } = price;
  if (usd === 0) return free;
  const costs = `, costs ${showUsd(usd, isEstimate)}`;
  if (breakEvenCalls === null) return `${costs}, never pays off`;
  const pays = breakEvenCalls === 0 ? "" : `, pays off after ${counted(breakEvenCalls, "call")}`;
  return `${costs}${pays}`;
}
