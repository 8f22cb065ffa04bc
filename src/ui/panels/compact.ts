/** Previews a compaction. */

import { attemptUsd } from "../../context/meter/cache.ts";
import { rowCounter } from "../../context/meter/meter.ts";
import { clearPlan, summaryPlan } from "../../context/ladder.ts";
import { standingContext } from "../../context/summary/files-in-work.ts";
import { countTurns, spanRange, findRow, spanRows } from "../../context/view/rows.ts";
import type { Plan, Row, View } from "../../context/types.ts";
import { counted, countedTurns } from "../../base/in-words.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { FieldModel } from "../field.ts";
import type { Host } from "../host.ts";
import type { InputEvent } from "../keys.ts";
import { fit, fitLine, span, wrapWords } from "../line.ts";
import { Memo } from "../memo.ts";
import { sanitizeLine } from "../sanitize.ts";
import { describeEntry, showTokens, showUsd } from "../transcript/format.ts";
import { clamp, frameRows, type ListRow, type PanelModel } from "./panel.ts";
import { largestFirst } from "./context/map.ts";

const placeholder = "what the summary must keep (optional)";

type CompactChoice = {
  how: "clear" | "summarize";
  /** The session's model writes the summary, although there is one for summaries. */
  ownModel?: true;
  preview: CompactPreview;
};

export function compactPanel(host: Host, focus: string): PanelModel {
  const memo = new Memo<CompactChoice[]>();
  /** null: nothing was chosen yet, and the better choice is preselected. A focus means a summary. */
  let picked: number | null = focus === "" ? null : 0;
  const input = new FieldModel(focus, host.redraw);

  const choices = (): CompactChoice[] => {
    const { view, reading, rules, options } = host;
    const { policy } = options;
    const skipReady = input.value.trim() !== "";
    const keys = [view, view.version, rules, policy, reading.cache.state, skipReady];
    return memo.get(keys, () => {
      const tokens = rowCounter(view, rules);
      const { summarizer, ...own } = rules;
      const now = { view, reading, policy, rules };
      const plans = [
        {
          how: "summarize",
          plan: summaryPlan(now, undefined, { skipReady }),
          by: summarizer?.model,
        },
        ...(summarizer
          ? [
              {
                how: "summarize",
                plan: summaryPlan({ ...now, rules: own }, undefined, { skipReady: true }),
                by: own.model,
                ownModel: true,
              } as const,
            ]
          : []),
        { how: "clear", plan: clearPlan(now), by: undefined },
      ] as const;
      return plans.flatMap(({ plan, by, ...choice }): CompactChoice[] => {
        if (!plan) return [];
        const preview = previewPlan(plan, view, tokens, policy, rules);
        return [{ ...choice, preview: by === undefined ? preview : writtenBy(preview, by, view) }];
      });
    });
  };
  const index = (): number => clamp(picked ?? preselect(choices()), choices().length - 1);
  const chosen = (): CompactChoice | undefined => choices()[index()];

  const start = (): void => {
    const choice = chosen();
    if (!choice) return;
    const words = sanitizeLine(input.value.trim());
    const wanted = choice.how === "summarize" && words !== "" ? { focus: words } : {};
    const { how, ownModel } = choice;
    host.send({ type: "compact", how, trigger: "key", ...wanted, ...(ownModel && { ownModel }) });
    host.show(null);
    if (host.state.phase !== "idle") host.flash("Will compact when this step is done.");
  };

  /** The focus returns to the prompt: it may have taken a while to type. */
  const cancel = (): false => {
    const words = input.value.trim();
    if (words !== "") host.setPrompt(`/compact ${words}`);
    return false;
  };

  /** If there is nothing to choose, any key closes the panel and acts as in the prompt. */
  const close = (event: InputEvent): boolean => {
    host.show(null);
    return event.type === "key" && event.chord === "escape";
  };

  const press = (event: InputEvent): boolean | Promise<void> => {
    if (!chosen()) return event.type !== "mouse" && close(event);
    const isText = event.type === "paste" || (event.type === "key" && event.text !== "");
    if (isText && chosen()?.how !== "summarize") return false;
    if (event.type !== "key") return host.typeInto(input, event);
    const { chord } = event;
    if (chord === "escape") return cancel();
    if (chord === "enter") start();
    else if (chord === "tab" || chord === "down")
      picked = (index() + 1) % Math.max(1, choices().length);
    else if (chord === "up" || chord === "shift+tab")
      picked = index() === 0 ? choices().length - 1 : index() - 1;
    else return host.typeInto(input, event);
    return true;
  };

  const choiceRow = ({ preview }: CompactChoice, isChosen: boolean, columns: number): ListRow => {
    const { sentences } = preview;
    const fits = sentences.find((sentence) => Bun.stringWidth(sentence) + 2 <= columns);
    const text = fits ?? sentences.at(-1) ?? "";
    const line = isChosen ? span("strong", `❯ ${text}`) : `  ${text}`;
    return { line: fitLine(line, columns), isChosen: false };
  };

  return {
    press,
    view(columns, rows) {
      const choice = chosen();
      const { state } = host;
      if (!choice)
        return {
          kind: "panel",
          title: "Compact",
          body: { kind: "text", lines: ["Nothing to compact yet."] },
          hint: "Esc close",
        };
      const { cache, removed, largest, kept } = choice.preview;
      const choiceRows = choices().map((each) => choiceRow(each, each === choice, columns));
      const hasField = choice.how === "summarize";
      const room = Math.max(0, rows - frameRows - choiceRows.length - (hasField ? 1 : 0));
      const all = choices();
      const why = all[preselect(all)] === choice && all.length > 1 ? whyFirst(choice) : "";
      const words = (line: string): string[] => (line === "" ? [] : wrapWords(line, columns - 2));
      const head = [...words(why), ...words(cache), ...words(removed)];
      const tail = words(kept);
      const listed = largest.slice(0, Math.max(0, room - head.length - tail.length));
      // A heading without its list says nothing.
      const items = listed.length === 0 ? words(cache) : [...head, ...listed];
      const details = [...items, ...tail].slice(0, room);
      const when = state.phase === "idle" ? "" : "when this step is done ";
      return {
        kind: "panel",
        title: "Compact",
        body: {
          kind: "list",
          rows: choiceRows,
          footer: details.map((line) => span("dim", fit(`  ${line}`, columns))),
        },
        hint: `Tab switch · Enter compact ${when}· Esc cancel`,
        field: hasField ? { field: input, label: "Focus: ", placeholder } : null,
      };
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

export function previewPlan(
  plan: Plan,
  view: View,
  countTokens: (row: Row) => number,
  policy: Policy,
  rules: ModelRules,
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
  const what = clears
    ? `Clear ${counted(rows.length, "old result")}`
    : `Summarize ${countedTurns(countTurns(spanRange(view, plan.summarize)))}`;
  const { usedBefore, usedAfter, cachedBroken, usd, isEstimate } = plan.price;
  const paid = view.draft && "draft" in plan ? attemptUsd(view.draft, rules) : null;
  const free = rules.prices.input > 0 ? ", no cost" : "";
  // Estimated until the server has counted.
  const change = `${showTokens(usedBefore)} → ~${showTokens(usedAfter)}`;
  return {
    freed: usedBefore - usedAfter,
    sentences: [
      `${what}: ${change} tokens${paid === null ? describeCost(plan, free) : describeReady(plan, paid)}`,
      `${what}: ${change}${usd === 0 ? free : `, ${showUsd(usd, isEstimate)}`}`,
      `${what}: ${change}`,
      `${clears ? "Clear" : "Summarize"}: ${change}`,
    ],
    cache: cachedBroken === 0 ? "" : `Invalidates ${showTokens(cachedBroken)} cached tokens.`,
    removed: clears
      ? "Removed, each replaced by one line that says how to get it back (largest first):"
      : "Removed, replaced by a summary (largest first):",
    largest: rest > 0 ? [...largest, `         and ${rest} more`] : largest,
    kept: keptLine(plan, view, rows, countTokens, policy),
  };
}

/** The preview with the model that would write it, and what its latest summary lost. */
function writtenBy(preview: CompactPreview, model: string, view: View): CompactPreview {
  const latest = view.path.findLast(
    (entry): entry is EntryOf<"cut"> =>
      entry.type === "cut" &&
      entry.summary?.by === "model" &&
      (entry.spent?.model ?? view.model) === model,
  );
  const lost = latest?.summary?.losses.length;
  const report = lost === undefined ? "" : `; its last one lost ${counted(lost, "detail")}`;
  const name = `By ${sanitizeLine(model)}`;
  const [full = ""] = preview.sentences;
  const sentences = [`${name}: ${full}${report}`, ...preview.sentences.map((s) => `${name}: ${s}`)];
  return { ...preview, sentences };
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
