/**
 * The forced cut. Fires when the next request would not fit, even in the middle of a tool loop. Uses the first step
 * that frees enough: clear old results, oldest first if they may be needed; summarize everything before the open
 * exchange; shorten the largest texts, including the open exchange. Pinned items and the newest message are the
 * last resort.
 */

import { counted } from "../../base/format.ts";
import { blockText } from "../../protocol/block.ts";
import type { Change, EntryId, EntryOf } from "../../protocol/entry.ts";
import { cutPlan, freedBy, priceChanges } from "../meter/cache.ts";
import { handleOf, isResult, rowTokens } from "../view/rows.ts";
import { spanBeforeExchange } from "../summary/span.ts";
import type { Plan, Row, Signals, View } from "../types.ts";
import { clearable } from "./microcompact.ts";
import { cuttableResults } from "./protect.ts";
import {
  clippedInput,
  headAndTail,
  measureInput,
  placeholder,
  replaceWhole,
  type TextRow,
} from "./replacement.ts";
import { isWorthSummary, planSummary } from "../summary/when.ts";

/** Target share of the window: a forced cut breaks the cache, so it should last for a while. */
const targetShare = 0.5;
/** Minimum share of the window to free by clearing; less would be due again soon. */
const minShare = 0.25;

/** Frees at least `needed` tokens, more if possible. Null if nothing is left to cut. */
export function planForced(now: Signals, needed: number): Plan | null {
  const { usedTokens, effectiveTokens } = now.reading;
  const why = `the next request and its answer are ${Math.ceil(needed).toLocaleString("en")} tokens too large`;
  const goal = Math.max(needed, usedTokens - targetShare * effectiveTokens);
  const enough = Math.max(needed, Math.min(goal, minShare * effectiveTokens));
  const cleared = clearOldest(now, goal, why);
  const freed = freedBy(cleared);
  if (freed >= enough) return cleared;
  const span = spanBeforeExchange(now.view);
  if (span && isWorthSummary(now, span)) return planSummary(now, span, why);
  if (freed >= needed) return cleared;
  return shortenLargest(now, needed, why) ?? (freed > 0 ? cleared : null);
}

/** Clears unneeded results, then possibly needed ones, oldest first, until `goal` tokens are free. */
function clearOldest(now: Signals, goal: number, why: string): Plan {
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
  return cutPlan(now, "microcompact", `clear ${counted(changes.length, "old item")}`, why, changes);
}

/** Maximum lengths to try, in characters, longest first. */
const caps = [15_000, 4_000, 1_000, 200];

/** Space for the note about the cut, in characters. */
const noteChars = 200;

/** Maximum share of a text that may remain; shortening less is not worth a cut. */
const mostShare = 0.8;

/**
 * Shortens texts in one plan until `needed` tokens are free: results, then also call inputs, then messages, and last
 * pinned items and the newest message. If that is not enough, returns the plan that frees the most; null if nothing
 * can be shortened.
 */
function shortenLargest(now: Signals, needed: number, why: string): Plan | null {
  const { view } = now;
  const visible = view.rows.filter(({ shown }) => shown === "whole" || shown === "replaced");
  const newest = visible.findLast(({ entry }) => entry.type === "user");
  const rank = (row: Row): number =>
    row.pinned || row === newest ? 3 : isResult(row) ? 0 : row.entry.type === "assistant" ? 1 : 2;
  let most: Plan | null = null;
  for (const stage of [0, 1, 2, 3]) {
    const rows = visible.filter((row) => rank(row) <= stage);
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

const isText = (row: Row): row is TextRow =>
  row.entry.type === "result" || row.entry.type === "user" || row.entry.type === "context";

function shorten(view: View, row: Row, cap: number): Change[] {
  const { entry } = row;
  const handle = handleOf(view, entry.id);
  if (entry.type === "assistant") return shortenInputs(row, entry, cap, handle);
  if (!isText(row) || row.chars <= cap * 1.2 + noteChars) return [];
  const text = shortText(view, row, cap, handle);
  return text.length > row.chars * mostShare ? [] : [{ kind: "replace", entry: entry.id, text }];
}

function shortText(view: View, row: TextRow, cap: number, handle: EntryId | null): string {
  const whole = blockText(row.entry.content);
  const isLong = whole.length > cap;
  if (isResult(row) && !isLong) return placeholder(view, row, "snipped");
  const images = row.entry.content.filter(({ type }) => type === "image").length;
  const recall = handle === null ? "" : `; recall #${handle}`;
  const note = images === 0 ? "" : `[${counted(images, "image")} removed${recall}]`;
  const text = isLong ? headAndTail(view, row, cap) : whole;
  return [text, note].filter((part) => part !== "").join("\n");
}

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
    return measureInput(input) > size * mostShare
      ? []
      : [{ kind: "input", entry: entry.id, toolUse: block.id, input }];
  });
}
