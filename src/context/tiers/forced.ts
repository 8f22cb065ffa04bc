/**
 * The forced cut. Fires when the next request would not fit, also in the middle of a tool loop. Clears
 * old results and inputs first, else the oldest results, else summarizes everything before the open
 * exchange; the last resort trims the largest texts, even those of the open exchange. Touches what is
 * pinned and the newest message only when nothing else is left.
 */

import { counted } from "../../base/in-words.ts";
import { blockText } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf, TierName } from "../../protocol/entry.ts";
import { freedBy, priceChanges } from "../meter/cache.ts";
import { rowTokens } from "../view/row-tokens.ts";
import { spanBeforeExchange } from "../summary/span.ts";
import type { Plan, Row, Signals, View } from "../types.ts";
import { handleOf, isResult } from "../view/rows.ts";
import { clearable } from "./microcompact.ts";
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

/**
 * Frees at least `needed` tokens, and more where that is possible: old results and inputs first, then a
 * summary of everything before the open exchange, then the largest parts of the exchange itself are
 * shortened. Null if nothing more can be cut.
 */
export function planForced(now: Signals, needed: number): Plan | null {
  const { usedTokens, effectiveTokens } = now.reading;
  const why = `the next request and its answer are ${Math.ceil(needed).toLocaleString("en")} tokens too large`;
  const goal = Math.max(needed, usedTokens - targetShare * effectiveTokens);
  const enough = Math.max(needed, Math.min(goal, minShare * effectiveTokens));
  const unneeded = clear(now, clearable(now), why);
  if (unneeded && freedBy(unneeded) >= enough) return unneeded;
  const oldest = clear(now, oldestResults(now, goal), why);
  if (oldest && freedBy(oldest) >= enough) return oldest;
  const span = spanBeforeExchange(now.view);
  if (span && isWorthSummary(now, span)) return planSummary(now, span, why);
  if (oldest && freedBy(oldest) >= needed) return oldest;
  return shortenLargest(now, needed, why) ?? (oldest && freedBy(oldest) > 0 ? oldest : null);
}

function clear(now: Signals, changes: Change[], why: string): Plan | null {
  if (changes.length === 0) return null;
  return cutPlan(now, "microcompact", `clear ${counted(changes.length, "old item")}`, why, changes);
}

/** As many of the oldest results as free `goal` tokens. */
function oldestResults({ view, policy, rules }: Signals, goal: number): Change[] {
  const tokens = rowTokens(view, rules);
  const changes: Change[] = [];
  let freed = 0;
  for (const row of cuttableResults(view, policy.keepResults)) {
    if (freed >= goal) break;
    for (const change of replaceWhole(view, [row], "cleared")) {
      changes.push(change);
      freed +=
        (tokens[view.indexOf(row.entry.id) ?? 0] ?? 0) * (1 - change.text.length / row.chars);
    }
  }
  return changes;
}

/** Lengths to try, in characters, the longest first. */
const caps = [30_000, 15_000, 8_000, 4_000, 2_000, 1_000, 500, 200];

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

/** The cut that makes these changes. */
export const cutPlan = (
  now: Signals,
  tier: TierName,
  action: string,
  why: string,
  changes: Change[],
): Extract<Plan, { changes: unknown }> => ({
  tier,
  action,
  reason: `${action}: ${why}`,
  changes,
  price: priceChanges(now, changes),
});
