/** An open tool loop as text: for servers that accept none of its thinking any more. */

import { clip, cutMiddle } from "../../base/clip.ts";
import { counted } from "../../base/format.ts";
import { blockText } from "../../protocol/block.ts";
import type { Change, CutFact, EntryOf } from "../../protocol/entry.ts";
import { priceChanges } from "../meter/cache.ts";
import { wholeSpans } from "../summary/span.ts";
import { coverAt, type Cover } from "../view/cuts.ts";
import { canRecall, rangeRows, spanRange } from "../view/rows.ts";
import { headAndTail } from "./replacement.ts";
import type { Row, Signals, View } from "../types.ts";

const opening = "What you did in this turn so far, as a record:";

/** Limits of a step in characters, by the characters of newer steps for each token of the window. */
const limits = [
  { until: 0.6, result: Number.POSITIVE_INFINITY, input: 4_000 },
  { until: 1, result: 4_000, input: 1_000 },
  { until: 1.3, result: 200, input: 200 },
  { until: 1.5, result: 0, input: 80 },
];

/** Characters of a user's message in the record. */
const userChars = 10_000;

/**
 * A cut that turns the open tool loop into text, for when the API accepts none of its thinking. The record
 * keeps every word of the user, a summary of what came before, the calls, and of the results the newest in
 * full and where the others can be found. Null when no loop is open.
 */
export function foldOpenLoop(
  now: Signals,
  reason = "the API refused the thinking of this turn",
): CutFact | null {
  const { view } = now;
  const loop = view.rows.slice(view.loopStart);
  const first = loop.findIndex(
    ({ entry }) => entry.type === "assistant" && entry.stop !== "failed",
  );
  const last = loop.findLastIndex(({ entry }) => entry.type === "result");
  const from = loop[first]?.entry.id;
  const to = loop[last]?.entry.id;
  if (!view.midLoop || from === undefined || to === undefined || last < first) return null;
  const span = wholeSpans(view, { from, to });
  const text = [opening, ...describeRows(now, rangeRows(spanRange(view, span)))].join("\n\n");
  const changes: Change[] = [{ kind: "cover", span, text }];
  const price = priceChanges(now, changes);
  return { type: "cut", tier: "manual", trigger: "auto", reason, changes, price, midLoop: true };
}

/** Rows as text, the newest in full. Rows that an earlier record covers are described again. */
function describeRows({ view, rules }: Signals, rows: readonly Row[]): string[] {
  let [chars, leftOut] = [0, 0];
  const steps = rows.toReversed().map((row): string[] => {
    const cover = findSummary(view, row);
    if (cover) return summaryAt(cover, row);
    const { entry } = row;
    if (entry.type === "user") return [`The user: ${shortUser(view, entry)}`];
    const most = limits.find(({ until }) => chars < until * rules.windowTokens);
    if (!most && entry.type === "result") leftOut++;
    const texts = most ? describeRow(view, row, most) : [];
    chars += texts.reduce((sum, text) => sum + text.length, 0);
    return texts;
  });
  const recall = canRecall(view) ? "; Recall finds them" : "";
  const note = leftOut > 0 ? [`[${counted(leftOut, "earlier call")} left out${recall}]`] : [];
  return [...note, ...steps.toReversed().flat()];
}

/** The summary that hides a row; a record is not one. */
function findSummary(view: View, { entry, shown }: Row): Cover | undefined {
  if (shown !== "covered") return undefined;
  let cover = coverAt(view.covers, view.indexOf(entry.id) ?? -1);
  const row = view.indexOf(entry.id) ?? -1;
  while (cover?.change.text.startsWith(opening)) cover = coverAt(cover.inner, row);
  return cover;
}

/** The text of a summary at its first row; nothing at its other rows. */
function summaryAt({ change, cut }: Cover, { entry }: Row): string[] {
  if (change.span.from !== entry.id) return [];
  const kept = cut.changes.flatMap((other) => (other === change ? (change.kept ?? []) : []));
  return [change.text, ...kept];
}

function shortUser(view: View, { id, content }: EntryOf<"user">): string {
  const recall = canRecall(view) ? `; full text: recall #${id}` : "";
  const text = blockText(content);
  return cutMiddle(text, userChars, recall);
}

function describeRow(view: View, row: Row, most: { result: number; input: number }): string[] {
  const { entry, text } = row;
  switch (entry.type) {
    case "assistant":
      if (entry.stop === "failed") return [];
      return entry.content.flatMap((block) => {
        if (block.type === "text") return [clip(block.text, Math.max(most.input, 200))];
        if (block.type !== "tool_use") return [];
        return [`You called ${block.name} with ${clip(JSON.stringify(block.input), most.input)}`];
      });
    case "result": {
      if (row.pinned) return [`Result of ${entry.tool}: kept below`];
      const shown = text ?? blockText(entry.content);
      const isShort = shown.length <= most.result;
      return [
        `Result of ${entry.tool}: ${isShort ? shown : shortResult(view, entry, most.result)}`,
      ];
    }
    default:
      return [];
  }
}

/** Too short for head and tail, only where it can be found. */
const minHeadAndTail = 1_000;

function shortResult(view: View, entry: EntryOf<"result">, chars: number): string {
  if (chars >= minHeadAndTail) return headAndTail(view, { entry }, chars);
  const where = entry.file ?? (canRecall(view) ? `recall #${entry.id}` : "");
  const head = chars > 0 ? `${clip(blockText(entry.content), chars)} ` : "";
  return `${head}[${counted(entry.lines, "line")}${where === "" ? "" : `; ${where}`}]`;
}
