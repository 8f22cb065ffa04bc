/** Shortens the largest texts to head and tail, where nothing else makes the next request fit. */

import { counted } from "../../base/in-words.ts";
import { blockText } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import { freedBy } from "../meter/cache.ts";
import type { Plan, Row, Signals, View } from "../types.ts";
import { handleOf, isResult } from "../view/rows.ts";
import { cutPlan } from "./plan.ts";
import {
  clippedInput,
  headAndTail,
  measureInput,
  placeholder,
  type TextRow,
} from "./replacement.ts";

/** Lengths to try, in characters, the longest first. */
const caps = [15_000, 4_000, 1_000, 200];

/** A cut that frees less than this share of a text is not worth it. */
const leastShortened = 0.2;

/**
 * Shortens as many texts as needed to free `needed` tokens, in one plan. Results come first, then the
 * inputs of calls, then messages, and last what is pinned and the newest message. If even that is not
 * enough, returns the plan that frees the most; null if nothing can be shortened.
 */
export function shortenLargest(now: Signals, needed: number, why: string): Plan | null {
  const { view } = now;
  let most: Plan | null = null;
  for (const rows of listStages(view)) {
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
function listStages(view: View): Row[][] {
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
  const handle = handleOf(view, entry.id);
  if (entry.type === "assistant") return shortenInputs(row, entry, cap, handle);
  if (!isText(row) || row.chars <= cap * (1 + leastShortened) + 200) return [];
  const images = row.entry.content.filter(({ type }) => type === "image").length;
  const isLong = blockText(row.entry.content).length > cap;
  const text =
    isResult(row) && !isLong
      ? placeholder(view, row, "snipped")
      : [
          isLong ? headAndTail(view, row, cap) : blockText(row.entry.content),
          imageNote(images, handle),
        ]
          .filter((part) => part !== "")
          .join("\n");
  return text.length > row.chars * (1 - leastShortened)
    ? []
    : [{ kind: "replace", entry: entry.id, text }];
}

const imageNote = (images: number, handle: EntryId | null): string =>
  images === 0
    ? ""
    : `[${counted(images, "image")} removed${handle === null ? "" : `; recall #${handle}`}]`;

function shortenInputs(
  row: Row,
  entry: EntryOf<"assistant">,
  cap: number,
  handle: EntryId | null,
): Change[] {
  return entry.content.flatMap((block): Change[] => {
    if (block.type !== "tool_use") return [];
    const input = clippedInput(block.input, cap, handle);
    const size = measureInput(row.inputs?.get(block.id) ?? block.input);
    return measureInput(input) > size * (1 - leastShortened)
      ? []
      : [{ kind: "input", entry: entry.id, toolUse: block.id, input }];
  });
}
