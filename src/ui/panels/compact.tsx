import { type ReactNode, useMemo, useState } from "react";
import { counted } from "../../base/format.ts";
import { clearPlan, summaryPlan, whyNoSummary } from "../../context/ladder.ts";
import { attemptUsd } from "../../context/meter/cache.ts";
import { largestFirst } from "../../context/meter/shares.ts";
import type { Plan, Row, Signals } from "../../context/types.ts";
import { findRow, rowCounter, spanRange, spanRows } from "../../context/view/rows.ts";
import { standingContext } from "../../context/view/standing-context.ts";
import { atMost, fit, wrapWords } from "../painted-text.ts";
import { sanitizeLine } from "../sanitize.ts";
import { useActions, useStore } from "../screen-context.ts";
import { type Line, span } from "../spans.ts";
import { describeEntry, showTokens, showUsd } from "../transcript/format.ts";
import { ListPanel } from "./list-panel.tsx";

/** Previews the compactions that are possible now. */
export function CompactPanel({ argument: focus }: { argument: string }): ReactNode {
  const store = useStore();
  const { view, reading, rules, policy, state } = store;
  const { send, show, notify, setPrompt } = useActions();
  const [words, setWords] = useState(focus);
  const skipReady = words.trim() !== "";
  const choices = useMemo(
    () => listChoices(store, skipReady),
    [view, view.version, rules, policy, reading.cache.state, skipReady],
  );
  const best = preselect(choices);
  const isIdle = state.phase === "idle";
  const start = ({ how }: CompactChoice): void => {
    const wanted = sanitizeLine(words.trim());
    const focused = how === "summarize" && wanted !== "" ? { focus: wanted } : {};
    send({ type: "compact", how, trigger: "key", ...focused });
    if (!isIdle) notify("Will compact when this turn ends.");
  };
  return (
    <ListPanel
      title="Compact"
      hint={`↑ ↓ choose · Enter compact ${isIdle ? "" : "when this turn ends "}· Esc cancel`}
      empty={whyNoSummary(store)}
      items={choices}
      lines={({ sentence }) => [`  ${sentence}`]}
      footer={(choice, columns) =>
        choice ? describe(choice, columns, choices.length > 1 && choices[best] === choice) : []
      }
      label="Focus"
      placeholder="what a summary must keep (optional)"
      query={focus}
      onFilter={setWords}
      // Only a summary uses the focus that is typed.
      start={best}
      keys={{
        escape() {
          show(null);
          // Keep the typed focus.
          if (words.trim() !== "") setPrompt(`/compact ${words.trim()}`);
        },
      }}
      closes
      onChoose={start}
    />
  );
}

type CompactChoice = {
  how: "clear" | "summarize";
  freed: number;
  /** "Clear 21 old results: 76k → ~38k, no cost" */
  sentence: string;
  /** Most important first: few rows cut off the end. */
  about: string[];
  largest: readonly string[];
};

function listChoices(now: Signals, skipReady: boolean): CompactChoice[] {
  const plans = [summaryPlan(now, undefined, { skipReady }), clearPlan(now)];
  return plans.flatMap((plan) => (plan ? [preview(plan, now)] : []));
}

/** The choice that loses nothing, if it frees as much as a summary; otherwise the summary. */
function preselect(choices: readonly CompactChoice[]): number {
  const [first] = choices;
  const clear = choices.findIndex(({ how }) => how === "clear");
  return (choices[clear]?.freed ?? -1) >= (first?.freed ?? 0) ? clear : 0;
}

const whyFirst = {
  clear:
    "Preselected: it frees at least as much as a summary, and every word of the conversation stays.",
  summarize: "Preselected: it frees the most.",
} as const;

function describe(choice: CompactChoice, columns: number, isBest: boolean): Line[] {
  const { how, about, largest } = choice;
  const sentences = isBest ? [whyFirst[how], ...about] : about;
  const lines = sentences.flatMap((sentence) => wrapWords(sentence, columns - 2));
  return [...lines, ...largest].map((line) => span("dim", fit(`  ${line}`, columns)));
}

const maxListed = 6;

/** The effects of a plan: removed, kept and paid. */
function preview(plan: Plan, { view, policy, rules }: Signals): CompactChoice {
  const tokens = rowCounter(view, rules);
  const { usedBefore, usedAfter, cachedBroken } = plan.price;
  const clears = "changes" in plan;
  const rows = clears
    ? plan.changes.flatMap((change) =>
        change.kind === "replace" ? (findRow(view, change.entry) ?? []) : [],
      )
    : spanRows(view, plan.summarize).filter(
        ({ shown, pinned }) => (shown === "whole" || shown === "replaced") && !pinned,
      );
  // User messages and standing context are kept verbatim beside a summary.
  const verbatim = clears ? [] : standingContext(spanRange(view, plan.summarize));
  const removed = clears
    ? rows
    : rows.filter(
        ({ entry }) => entry.type !== "user" && !verbatim.some(({ id }) => id === entry.id),
      );
  const largest = largestFirst(removed, tokens).map(
    ({ row, tokens: size }) => `${showTokens(size).padStart(7)}  ${describeEntry(view, row.entry)}`,
  );
  const free = rules.prices.input > 0 ? ", no cost" : "";
  const action = plan.action.replace(/^./, (first) => first.toUpperCase());
  // Estimated until the server has counted.
  const change = `${showTokens(usedBefore)} → ~${showTokens(usedAfter)}`;
  const paid = view.draft && "draft" in plan ? attemptUsd(view.draft, rules) : null;
  const cost = paid === null ? describeCost(plan, free) : describeReady(plan, paid);
  const pinned = view.rows.filter((row) => row.pinned).length;
  const pins = pinned === 0 ? "" : `, ${counted(pinned, "pinned item")}`;
  const kept = clears
    ? `Kept: all messages and calls, the newest ${counted(policy.keepResults, "result")}${pins}.`
    : `Kept: ${keptBySummary(plan.summarize, view, rows, tokens)}${pins}. /undo-compact undoes it.`;
  return {
    how: clears ? "clear" : "summarize",
    freed: usedBefore - usedAfter,
    sentence: `${action}: ${change}${cost}`,
    about: [
      kept,
      ...(cachedBroken === 0 ? [] : [`${showTokens(cachedBroken)} tokens must be cached again.`]),
      clears
        ? "Removed, each replaced by one line that says how to get it back (largest first):"
        : "Removed, replaced by a summary (largest first):",
    ],
    largest: atMost(largest, maxListed, (rest) => `         and ${rest} more`),
  };
}

function keptBySummary(
  summarized: Extract<Plan, { summarize: unknown }>["summarize"],
  view: Signals["view"],
  rows: readonly Row[],
  countTokens: (row: Row) => number,
): string {
  const messages = rows.filter(({ entry }) => entry.type === "user").length;
  const own = messages === 1 ? "your message" : `your ${messages} messages`;
  const { to } = spanRange(view, summarized);
  const newest = view.rows.slice(to + 1).reduce((sum, row) => sum + countTokens(row), 0);
  const latest = newest === 0 ? "" : `, the latest messages (${showTokens(newest)} tokens)`;
  return `${messages === 0 ? "" : `${own} verbatim, `}your instructions, the todo list, active files${latest}`;
}

/** A ready summary: its cost is already spent. */
const describeReady = ({ price: { usd, isEstimate } }: Plan, paid: number): string =>
  `, the summary is ready (${showUsd(paid, isEstimate)} paid), costs ${usd === 0 ? "nothing" : showUsd(usd, isEstimate)} more`;

function describeCost({ price }: Plan, free: string): string {
  const { usd, breakEvenCalls, isEstimate } = price;
  if (usd === 0) return free;
  const costs = `, costs ${showUsd(usd, isEstimate)}`;
  if (breakEvenCalls === null) return `${costs}, never pays off`;
  return breakEvenCalls === 0
    ? costs
    : `${costs}, pays off after ${counted(breakEvenCalls, "call")}`;
}
