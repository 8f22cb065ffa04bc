/**
 * The forced cut. Fires when the next request would not fit, also in the middle of a tool loop. Clears
 * old results, the oldest too if they may be needed; else summarizes everything before the open
 * exchange; else keeps head and tail of the largest texts, even those of the open exchange. Touches what is
 * pinned and the newest message only when nothing else is left.
 */

import { counted } from "../../base/in-words.ts";
import { blockText } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import { freedBy, priceChanges } from "../meter/cache.ts";
import { rowTokens } from "../view/row-tokens.ts";
import { spanBeforeExchange } from "../summary/span.ts";
import type { Plan, Row, Signals, View } from "../types.ts";
import { handleOf, isResult } from "../view/rows.ts";
import { clearable } from "./microcompact.ts";
import { cutPlan } from "./plan.ts";
import { cuttableResults } from "./protect.ts";
import {
  clippedInput,
  headAndTail,
  placeholder,
  replaceWhole,
  measureInput,
  type TextRow,
} from "./replacement.ts";
import { isWorthSummary, planSummary } from "./summary.ts";

/** A forced cut breaks the cache, so it frees enough for a while: down to this share of the window. */
const targetShare = 0.5;
/** Clearing that frees less than this share of the window would be due again soon. */
const minShare = 0.25;

/** Frees at least `needed` tokens, and more where that is possible. Null if nothing more can be cut. */
export function planForced(now: Signals, needed: number): Plan | null {
  const { usedTokens, effectiveTokens } = now.reading;
  const why = `the next request and its answer are ${Math.ceil(needed).toLocaleString("en")} tokens too large`;
  const goal = Math.max(needed, usedTokens - targetShare * effectiveTokens);
  const enough = Math.max(needed, Math.min(goal, minShare * effectiveTokens));
  const cleared = clearOldest(now, goal, why);
  const freed = cleared ? freedBy(cleared) : 0;
  if (freed >= enough) return cleared;
  const span = spanBeforeExchange(now.view);
  if (span && isWorthSummary(now, span)) return planSummary(now, span, why);
  if (freed >= needed) return cleared;
  return shortenLargest(now, needed, why) ?? (freed > 0 ? cleared : null);
}

/** Clears what will hardly be needed, and of what may be needed the oldest, until that frees `goal` tokens. */
function clearOldest(now: Signals, goal: number, why: string): Plan | null {
  const { view, policy, rules } = now;
  const changes = clearable(now);
  const taken = new Set(changes.map((change) => ("entry" in change ? change.entry : "")));
  const tokens = rowTokens(view, rules);
  const { usedBefore, usedAfter } = priceChanges(now, changes);
  let freed = usedBefore - usedAfter;
  for (const row of cuttableResults(view, policy.keepResults)) {
    if (freed >= goal) break;
    if (taken.has(row.entry.id)) continue;
    for (const change of replaceWhole(view, [row], "cleared")) {
      changes.push(change);
      freed +=
        (tokens[view.indexOf(row.entry.id) ?? 0] ?? 0) * (1 - change.text.length / row.chars);
    }
  }
  if (changes.length === 0) return null;
  return cutPlan(now, "microcompact", `clear ${counted(changes.length, "old item")}`, why, changes);
}

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
