/** Lays out a tool call: a row with its outcome and, if open, the full input and output. */

import { textOf } from "../../protocol/block.ts";
import { takeStart } from "../../protocol/clip.ts";
import type { EntryOf } from "../../protocol/entry.ts";
import type { Theme } from "../theme.ts";
import { fit, spread, wrapWords } from "../wrap.ts";
import { isDiff } from "./diff-lines.ts";
import { callTitle } from "./format.ts";
import { inputLines } from "./input-lines.ts";
import { badgeOf, isCut, type ItemLayout } from "./item-layout.ts";
import { neighborsOutcome, neighborsTitle } from "./neighbors.ts";
import { durationOf, errorLines, outcomeOf, type ToolItem } from "./outcome.ts";
import { outputLines, resultLines } from "./output-lines.ts";

/** Lines shown of a folded diff. */
const foldedDiffLines = 14;

export function toolLines(item: ToolItem, layout: ItemLayout): string[] {
  const { width, theme, open, neighbors } = layout;
  const { call, result } = item;
  if (neighbors) {
    const title = `${signOf(result, layout)} ${strongName(neighborsTitle(neighbors), theme)}`;
    return [spread(title, theme.paint("dim", ` ${neighborsOutcome(neighbors)}`), width)];
  }
  const title = `${signOf(result, layout)} ${strongName(callTitle(call.name, call.input), theme)}`;
  const head = spread(title, theme.paint("dim", ` ${rightOf(item, layout)}`), width);
  if (!open) return [head, ...foldedLines(result, layout)];
  return [
    head,
    ...inputLines(call.input, result !== null && isDiff(textOf(result.content)), layout),
    ...(result ? resultLines(result, layout, call.input) : []),
  ];
}

/** Marks the name of the tool, so that calls are told apart at a glance. */
const strongName = (title: string, theme: Theme): string =>
  title.replace(/^\S+/, (name) => theme.paint("strong", name));

function signOf(result: EntryOf<"result"> | null, { theme }: ItemLayout): string {
  if (result === null) return theme.paint("accent", "○");
  return result.isError ? theme.paint("bad", "✗") : theme.paint("good", "●");
}

/** Badge, outcome and duration; only the badge where the row is short. */
function rightOf(item: ToolItem, layout: ItemLayout): string {
  const { width, runningMs, isAsked } = layout;
  const { result } = item;
  if (result === null) {
    if (isAsked) return "waiting for you";
    return `${Math.floor(runningMs / 1_000)} s`;
  }
  const badge = isCut(layout) || isPreview(result) ? badgeOf(layout) : "";
  const outcome = [outcomeOf(item.call, result), durationOf(item)].filter(Boolean).join(" · ");
  const both = [badge, outcome].filter(Boolean).join(" ");
  return badge !== "" && Bun.stringWidth(both) > width * 0.6 ? badge : both;
}

/** What a folded call shows of its result: a diff, or the first lines of an error. */
function foldedLines(result: EntryOf<"result"> | null, layout: ItemLayout): string[] {
  if (result === null || isCut(layout)) return [];
  const { width, theme } = layout;
  if (result.isError)
    return errorRows(result, width).map((line) => theme.paint("dim", fit(`  │ ${line}`, width)));
  const text = textOf(result.content);
  // The row already says what comes before the diff.
  return isDiff(text)
    ? outputLines(text.slice(text.search(/^(?:--- |@@ -)/m)), layout, foldedDiffLines)
    : [];
}

/** Rows that an error of one sentence may take. */
const sentenceRows = 3;

/** A sentence is wrapped, because its end says what to do; output is not. */
function errorRows(result: EntryOf<"result">, width: number): string[] {
  const lines = errorLines(result);
  const [only = ""] = lines;
  if (lines.length !== 1) return lines;
  const room = Math.max(1, width - 4);
  return wrapWords(takeStart(only, room * sentenceRows), room).slice(0, sentenceRows);
}

/** The log holds only a preview; the full result is in a file. */
const isPreview = (result: EntryOf<"result">): boolean =>
  result.file !== undefined && result.bytes > Buffer.byteLength(textOf(result.content)) * 1.2;
