/** Previews a compaction. */

import { attemptUsd } from "../../context/meter/cache.ts";
import { rowCounter } from "../../context/view/row-tokens.ts";
import { clearPlan, summaryPlan, whyNoSummary } from "../../context/ladder.ts";
import { standingContext } from "../../context/view/standing-context.ts";
import { spanRange, findRow, spanRows } from "../../context/view/rows.ts";
import type { Plan, Row, Signals, View } from "../../context/types.ts";
import { counted } from "../../base/in-words.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { Host } from "./host.ts";
import { toChord } from "../keys.ts";
import { firstThatFits, fit, span, wrapWords } from "../line.ts";
import { Memo } from "../memo.ts";
import { sanitizeLine } from "../sanitize.ts";
import { describeEntry, showTokens, showUsd } from "../transcript/format.ts";
import { listPanel, type ListPanel } from "./old-list.ts";
import { type PanelModel, readerPanel } from "./panel.ts";
import { largestFirst } from "../../context/meter/shares.ts";

type CompactChoice = {
  how: "clear" | "summarize";
  /** The session's model writes the summary, although there is one for summaries. */
  ownModel?: true;
  preview: CompactPreview;
};

export function compactPanel(host: Host, focus: string): PanelModel {
  const memo = new Memo<CompactChoice[]>();
  const choices = (words: string): CompactChoice[] => {
    const { view, reading, rules, policy } = host;
    const skipReady = words.trim() !== "";
    const keys = [view, view.version, rules, policy, reading.cache.state, skipReady];
    return memo.get(keys, () => {
      const tokens = rowCounter(view, rules);
      const { summarizer, ...own } = rules;
      type Choice = Omit<CompactChoice, "preview">;
      const offer = (choice: Choice, plan: Plan | null, by?: string): CompactChoice[] =>
        plan ? [{ ...choice, preview: previewPlan(plan, host, tokens, by) }] : [];
      const summary = summaryPlan(host, undefined, { skipReady });
      const now = { view, reading, policy, rules: own };
      const byOwn = summarizer ? summaryPlan(now, undefined, { skipReady: true }) : null;
      return [
        ...offer({ how: "summarize" }, summary, summarizer?.model),
        ...offer({ how: "summarize", ownModel: true }, byOwn, own.model),
        ...offer({ how: "clear" }, clearPlan(host)),
      ];
    });
  };

  const start = ({ how, ownModel }: CompactChoice): void => {
    const words = sanitizeLine(list.filter.trim());
    const wanted = how === "summarize" && words !== "" ? { focus: words } : {};
    host.send({ type: "compact", how, trigger: "key", ...wanted, ...(ownModel && { ownModel }) });
    host.show(null);
    if (host.state.phase !== "idle") host.notify("Will compact when this turn ends.");
  };

  const list: ListPanel = listPanel<CompactChoice>(host, {
    isFiltered: true,
    label: "Focus",
    placeholder: "what a summary must keep (optional)",
    query: focus,
    // A focus means a summary.
    start: (items) => (list.filter === "" ? preselect(items) : 0),
    keys: {
      tab: () => list.turn(1),
      "shift+tab": () => list.turn(-1),
      escape() {
        host.show(null);
        // It may have taken a while to type.
        const words = list.filter.trim();
        if (words !== "") host.setPrompt(`/compact ${words}`);
      },
    },
    title: "Compact",
    hint: () =>
      `↑ ↓ choose · Enter compact ${host.state.phase === "idle" ? "" : "when this turn ends "}· Esc cancel`,
    items: choices,
    footer(choice, columns) {
      if (!choice) return [];
      const items = choices(list.filter);
      const isBest = items.length > 1 && items[preselect(items)] === choice;
      const { cache, kept, removed, largest } = choice.preview;
      // In few rows, the end is left out.
      const why = isBest ? whyFirst(choice) : "";
      const sentences = [why, kept, cache, removed].filter(Boolean);
      const lines = sentences.flatMap((sentence) => wrapWords(sentence, columns - 2));
      return [...lines, ...largest].map((line) => span("dim", fit(`  ${line}`, columns)));
    },
    lines: ({ preview }, columns) => [`  ${firstThatFits(preview.sentences, columns - 2)}`],
    onChoose: start,
  });

  const nothing = {
    title: "Compact",
    hint: "Esc close",
    lines: [whyNoSummary(host)],
  };
  const isEmpty = (): boolean => choices(list.filter).length === 0;
  const empty = readerPanel(() => nothing);
  return {
    view: (columns, rows) => (isEmpty() ? empty : list).view(columns, rows),
    press(event) {
      if (!isEmpty()) return list.press(event);
      // Any key closes it and acts as in the prompt.
      if (event.type !== "mouse") host.show(null);
      return toChord(event) === "escape";
    },
  };
}

/** The choice that loses nothing, if it frees as much as a summary; otherwise the summary. */
function preselect(choices: readonly CompactChoice[]): number {
  const [first] = choices;
  const clear = choices.findIndex(({ how }) => how === "clear");
  const freesAsMuch = (choices[clear]?.preview.freed ?? 0) >= (first?.preview.freed ?? 0);
  return clear >= 0 && freesAsMuch ? clear : 0;
}

const whyFirst = ({ how }: CompactChoice): string =>
  how === "clear"
    ? "Preselected: it frees at least as much as a summary, and every word of the conversation stays."
    : "Preselected: it frees the most.";

type CompactPreview = {
  freed: number;
  /** "Clear 21 old results: 76k → 38k tokens, free", then shorter for narrow screens. */
  sentences: string[];
  cache: string;
  removed: string;
  largest: string[];
  kept: string;
};

const maxListed = 6;

/** `by`: the model that would write it, if that is in question. */
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
  // The user's own words and what still applies stay beside a summary verbatim.
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

/** The sentences with the model that would write it, and what its latest summary lost. */
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

/** The summary is written already: what it cost is spent, whatever is chosen. */
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
