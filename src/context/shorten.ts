/** The last resort: cuts the largest texts down to head and tail, even those of the open exchange. */

import { textOf } from "../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../protocol/entry.ts";
import { counted } from "../base/in-words.ts";
import { cutPlan, freedBy } from "./fit.ts";
import { headAndTail, placeholder, type TextRow } from "./placeholder.ts";
import { isResult } from "./protect.ts";
import { activeInputs, clippedInput, sizeOf } from "./tool-inputs.ts";
import type { Plan, Row, Signals, View } from "./types.ts";

/** Lengths to try, in characters, the longest first. */
const caps = [30_000, 15_000, 8_000, 4_000, 2_000, 1_000, 500, 200];

/** A cut that frees less than this share of a text is not worth it. */
const minShare = 0.2;

/**
 * Shortens as many texts as needed to free `needed` tokens, in one plan. Results come first, then the
 * inputs of calls, then messages, and last what is pinned and the newest message. If even that is not
 * enough, returns the plan that frees the most; null if nothing can be shortened.
 */
export function shortenLargest(now: Signals, needed: number, why: string): Plan | null {
  const { view } = now;
  let most: Plan | null = null;
  for (const rows of stagesOf(view)) {
    for (const cap of caps) {
      const changes = rows.flatMap((row) => shorten(view, row, cap));
      if (changes.length === 0) continue;
      const action = `trim ${counted(changes.length, "large text")}`;
      const plan = cutPlan(now, "budget", action, why, changes);
      if (freedBy(plan) >= needed) return plan;
      if (freedBy(plan) > (most ? freedBy(most) : 0)) most = plan;
    }
  }
  return most;
}

/** Sets of rows that may be shortened; each contains the one before it. */
function stagesOf(view: View): Row[][] {
  const visible = view.rows.filter(({ shown }) => shown === "whole" || shown === "replaced");
  const free = visible.filter(({ pinned }) => !pinned);
  const newest = visible.findLast(({ entry }) => entry.type === "user");
  const results = free.filter(isResult);
  const calls = free.filter(({ entry }) => entry.type === "assistant");
  const messages = free.filter((row) => isText(row) && !isResult(row) && row !== newest);
  const exchange = [...results, ...calls];
  return [results, exchange, [...exchange, ...messages], visible];
}

const isText = (row: Row): row is TextRow =>
  row.entry.type === "result" || row.entry.type === "user" || row.entry.type === "context";

function shorten(view: View, row: Row, cap: number): Change[] {
  const { entry } = row;
  if (entry.type === "assistant") return shortenInputs(view, entry, cap);
  if (!isText(row) || row.chars <= cap * (1 + minShare) + 200) return [];
  const images = row.entry.content.filter(({ type }) => type === "image").length;
  const isLong = textOf(row.entry.content).length > cap;
  const text =
    isResult(row) && !isLong
      ? placeholder(row, "snipped")
      : [isLong ? headAndTail(row, cap) : textOf(row.entry.content), imageNote(images, entry.id)]
          .filter((part) => part !== "")
          .join("\n");
  return text.length > row.chars * (1 - minShare)
    ? []
    : [{ kind: "replace", entry: entry.id, text }];
}

const imageNote = (images: number, id: EntryId): string =>
  images === 0 ? "" : `[${counted(images, "image")} removed; recall #${id}]`;

function shortenInputs(view: View, entry: EntryOf<"assistant">, cap: number): Change[] {
  const active = activeInputs(view);
  return entry.content.flatMap((block): Change[] => {
    if (block.type !== "tool_use") return [];
    const input = clippedInput(block.input, cap, entry.id);
    const size = sizeOf(active.get(block.id) ?? block.input);
    return sizeOf(input) > size * (1 - minShare)
      ? []
      : [{ kind: "input", entry: entry.id, toolUse: block.id, input }];
  });
}
