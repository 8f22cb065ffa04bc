/** Whether the next request fits, and what has to go when it does not. */

import { textOf } from "../protocol/block.ts";
import type { Change, Span } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { replaceWhole } from "./clear.ts";
import { headAndTail, placeholder } from "./placeholder.ts";
import { cuttableResults, isResult, type ResultRow } from "./protect.ts";
import { freshTokens, spanBeforeExchange } from "./span.ts";
import { supersededReads } from "./superseded-reads.ts";
import type { Plan, MeterReading, Signals, View } from "./types.ts";

/** Room that an answer needs at least, in tokens. */
export const answerRoom = (rules: ModelRules): number =>
  Math.min(
    rules.outputTokens,
    Math.max(1_024, Math.min(8_192, Math.floor(rules.windowTokens / 8))),
  );

/** Tokens by which the next request is too large; 0 or less: it fits. */
export const excess = (reading: MeterReading, rules: ModelRules): number =>
  reading.usedTokens +
  Math.min(reading.errorTokens, rules.windowTokens / 10) +
  answerRoom(rules) -
  rules.windowTokens;

/** A summary of less than this, in tokens, would hardly be shorter. */
const leastSummary = 1_000;

/** A summary of a small window has to be short as well. */
export const isWorthSummary = (view: View, now: Signals, span: Span): boolean =>
  freshTokens(view, span, now.tokensOf) > Math.min(leastSummary, now.reading.effectiveTokens / 20);

/**
 * Frees `needed` tokens, as far as needed and no further: stale reads first, then the oldest results,
 * then everything before the open exchange by a summary, at last the largest results of the exchange
 * itself. Null when nothing more can go.
 */
export function forced(view: View, now: Signals, policy: Policy, needed: number): Plan | null {
  const reason = `the next request would not fit: ${Math.ceil(needed)} tokens too many`;
  const results = cuttableResults(view, policy.keepResults);
  const stale = supersededReads(view);
  const ordered = [
    ...results.filter((row) => stale.has(row.entry.id)),
    ...results.filter((row) => !stale.has(row.entry.id)),
  ];
  const taken = upTo(view, replaceWhole(view, ordered, "snipped"), needed, now);
  const price = now.priceOf(taken);
  const clear: Plan = { tier: "snip", reason, changes: taken, price };
  if (freed(clear) >= needed) return clear;
  const span = spanBeforeExchange(view);
  if (span && isWorthSummary(view, now, span))
    return { tier: "summary", reason, summarise: span, price: now.priceOfSummary(span) };
  return freed(clear) > 0 ? clear : shortenLargest(view, now, needed, reason);
}

/** Tokens that a plan frees. */
export const freed = ({ price }: Plan): number => price.usedBefore - price.usedAfter;

/** The first of the changes that free `needed` tokens together. */
function upTo(view: View, changes: readonly Change[], needed: number, now: Signals): Change[] {
  const taken: Change[] = [];
  let sum = 0;
  for (const change of changes) {
    if (sum >= needed) break;
    taken.push(change);
    const row = change.kind === "replace" ? view.rows[view.indexOf(change.entry) ?? -1] : undefined;
    if (!row || change.kind !== "replace") continue;
    sum += now.tokensOf(row) * Math.max(0, 1 - change.text.length / Math.max(1, row.chars));
  }
  return taken;
}

/** Results that are no longer than this, in characters, are not worth shortening. */
const leastChars = 1_000;

/**
 * Even the newest results give way when nothing else is left, pinned ones last: the largest keeps
 * head and tail, as much as there is room for.
 */
function shortenLargest(view: View, now: Signals, needed: number, reason: string): Plan | null {
  const rows = view.rows
    .filter(isResult)
    .filter((row) => row.shown !== "covered" && row.chars > leastChars * 1.5)
    .sort((a, b) => Number(a.pinned) - Number(b.pinned) || b.chars - a.chars);
  for (const row of rows) {
    const tokens = Math.max(1, now.tokensOf(row));
    const most = Math.floor(row.chars * (1 - Math.min(1, (needed * 1.1 + 50) / tokens)));
    const text = shortened(view, row, Math.max(leastChars, most - 200));
    const changes: Change[] = [{ kind: "replace", entry: row.entry.id, text }];
    const plan: Plan = { tier: "budget", reason, changes, price: now.priceOf(changes) };
    if (freed(plan) > 0) return plan;
  }
  return null;
}

/** A picture cannot be shown in part. */
const shortened = (view: View, row: ResultRow, mostChars: number): string =>
  textOf(row.entry.content).length > mostChars
    ? headAndTail(row, mostChars)
    : placeholder(view, row, "snipped");
