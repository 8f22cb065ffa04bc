/** Order and moment of the tiers. Asked again after every cut, until it has nothing more to propose. */

import type { Change, EntryId, Span } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { priceOf, priceOfSummary } from "./cache.ts";
import { replaceWhole } from "./clear.ts";
import { pays } from "./economy.ts";
import { excess, forced } from "./fit.ts";
import { tokensOf } from "./meter.ts";
import { cuttableResults } from "./protect.ts";
import { spanBeforeExchange, spanBeforeTurn, spanTo } from "./span.ts";
import { budget } from "./tiers/budget.ts";
import { microcompact } from "./tiers/microcompact.ts";
import { snip } from "./tiers/snip.ts";
import { summary } from "./tiers/summary.ts";
import type { Moment, Plan, Reading, Signals, Tier, View } from "./types.ts";

/** In this order; the summary is the last resort. */
const tiers: readonly Tier[] = [budget, snip, microcompact, summary];

export function signals(
  moment: Moment,
  view: View,
  reading: Reading,
  policy: Policy,
  rules: ModelRules,
): Signals {
  return {
    moment,
    reading,
    tokensOf: tokensOf(view, rules),
    priceOf: (changes: readonly Change[]) => priceOf(view, reading, changes, rules, policy),
    priceOfSummary: (span: Span) => priceOfSummary(view, reading, span, rules, policy),
  };
}

/**
 * The next cut to make, or null. At a turn's start by the ladder; before a call only when it would
 * not fit; at a turn's end never, for nothing is about to be sent.
 */
export function nextPlan(
  moment: Moment,
  view: View,
  reading: Reading,
  policy: Policy,
  rules: ModelRules,
): Plan | null {
  if (moment === "turnEnd") return null;
  const now = signals(moment, view, reading, policy, rules);
  if (moment === "turnStart" && policy.compaction === "on") {
    for (const tier of tiers) {
      if (tier === summary && policy.autoCompact === "off") continue;
      const plan = tier(view, now, policy);
      if (!plan) continue;
      if (policy.policy === "thresholds" || tier === summary || pays(plan, view, reading))
        return plan;
    }
  }
  const needed = excess(reading, rules);
  return needed > 0 ? forced(view, now, policy, needed) : null;
}

/** By hand: every result that may go, as if the cache were cold. */
export function clearPlan(
  view: View,
  reading: Reading,
  policy: Policy,
  rules: ModelRules,
): Plan | null {
  const changes = replaceWhole(view, cuttableResults(view, policy.keepResults), "cleared");
  if (changes.length === 0) return null;
  const price = priceOf(view, reading, changes, rules, policy);
  return { tier: "microcompact", reason: "cleared by hand", changes, price };
}

/**
 * By hand: a summary of everything before the newest turn, or before the newest exchange when that
 * turn is nearly all there is; or of the given range.
 */
export function summaryPlan(
  view: View,
  reading: Reading,
  policy: Policy,
  rules: ModelRules,
  range?: { from?: EntryId; to?: EntryId },
): Plan | null {
  const span = range ? ranged(view, range) : usual(view, rules);
  if (!span) return null;
  const price = priceOfSummary(view, reading, span, rules, policy);
  return { tier: "summary", reason: "asked for", summarise: span, price };
}

function usual(view: View, rules: ModelRules): Span | null {
  const turn = spanBeforeTurn(view);
  const exchange = spanBeforeExchange(view);
  if (!turn || !exchange) return turn ?? exchange;
  const tokens = tokensOf(view, rules);
  const size = (span: Span): number =>
    view.rows
      .slice(view.indexOf(span.from) ?? 0, (view.indexOf(span.to) ?? 0) + 1)
      .reduce((sum, row) => sum + tokens(row), 0);
  return size(turn) < size(exchange) / 2 ? exchange : turn;
}

/** The given ends, moved outward to where no call is parted from its result. */
function ranged(view: View, { from, to }: { from?: EntryId; to?: EntryId }): Span | null {
  const last =
    to === undefined
      ? spanBeforeTurn(view)
      : spanTo(view, wholeExchange(view, view.indexOf(to) ?? 0));
  if (!last || from === undefined) return last;
  const start = view.indexOf(from);
  return start === undefined
    ? null
    : { from: view.rows[exchangeHead(view, start)]?.entry.id ?? from, to: last.to };
}

function wholeExchange(view: View, row: number): number {
  let end = row;
  while (view.rows[end + 1]?.entry.type === "result" || isSide(view, end + 1)) end++;
  return end;
}

function exchangeHead(view: View, row: number): number {
  let start = row;
  while (start > 0 && (view.rows[start]?.entry.type === "result" || isSide(view, start))) start--;
  return start;
}

const isSide = (view: View, row: number): boolean => view.rows[row]?.shown === "aside";
