/** Order and moment of the tiers. Asked again after every cut, until it has nothing more to propose. */

import type { Change, EntryId, Span } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { priceOf, priceOfSummary } from "./cache.ts";
import { replaceWhole } from "./clear.ts";
import { summaryThreshold } from "./summary-threshold.ts";
import { planEconomy, freeSpace } from "./economy.ts";
import { answerRoom, excess, forced, freed } from "./fit.ts";
import { tokensOf } from "./meter.ts";
import { cuttableResults } from "./protect.ts";
import { spanBeforeExchange, spanBeforeTurns, spanWithin } from "./span.ts";
import { budget } from "./tiers/budget.ts";
import { microcompact } from "./tiers/microcompact.ts";
import { snip } from "./tiers/snip.ts";
import { summary } from "./tiers/summary.ts";
import type { Moment, Plan, MeterReading, Signals, View } from "./types.ts";

export function signals(
  moment: Moment,
  view: View,
  reading: MeterReading,
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
 * not fit; at a turn's end never, for nothing is about to be sent. Every plan frees tokens.
 */
export function nextPlan(
  moment: Moment,
  view: View,
  reading: MeterReading,
  policy: Policy,
  rules: ModelRules,
): Plan | null {
  if (moment === "turnEnd") return null;
  const now = signals(moment, view, reading, policy, rules);
  const plan = moment === "turnStart" ? byLadder(view, now, policy, rules) : null;
  if (plan) return plan;
  const needed = excess(reading, rules) + roomBeside(policy, rules);
  if (needed <= 0) return null;
  const batch = policy.policy === "economy" ? freeSpace(view, now, policy) : null;
  return batch ?? forced(view, now, policy, needed);
}

/** By the table a request fits with the least room for its answer, by economy with the reserve for it. */
function roomBeside({ policy, reserveTokens }: Policy, rules: ModelRules): number {
  if (policy !== "economy") return 0;
  return Math.max(0, Math.min(reserveTokens, rules.windowTokens / 10) - answerRoom(rules));
}

/** What the tiers propose, in their order. */
function byLadder(view: View, now: Signals, policy: Policy, rules: ModelRules): Plan | null {
  if (policy.compaction === "off") return null;
  // A loop that was broken off is still open: cutting would have its thinking dropped.
  const waits = view.midLoop && rules.thinking === "bound" && thinksInLoop(view);
  if (policy.policy === "economy") {
    const clear = waits ? null : planEconomy(view, now, policy, rules);
    const early =
      waits || policy.autoCompact !== "on" ? null : summaryThreshold(view, now, policy, clear);
    // In a cold cache the cut comes first, so that the summary's own call has less to write.
    const inOrder = now.reading.cache.state === "hot" ? [early, clear] : [clear, early];
    const plan = inOrder.find((one) => one !== null && freed(one) > 0);
    if (plan) return plan;
  } else {
    const plan = waits ? null : byTable(view, now, policy);
    if (plan) return plan;
  }
  return policy.autoCompact === "on" ? summary(view, now, policy) : null;
}

/** The tiers that ask no model, by the bare table. */
function byTable(view: View, now: Signals, policy: Policy): Plan | null {
  for (const tier of [budget, snip, microcompact]) {
    const plan = tier(view, now, policy);
    if (plan && freed(plan) > 0) return plan;
  }
  return null;
}

const thinksInLoop = (view: View): boolean =>
  view.rows.slice(view.loopStart).some(({ charsByKind }) => charsByKind.thinking > 0);

/** The summary that is due by the ladder, for a person who wants to be asked first. */
export function summaryDue(
  view: View,
  reading: MeterReading,
  policy: Policy,
  rules: ModelRules,
): Plan | null {
  if (policy.compaction === "off" || policy.autoCompact === "off") return null;
  return summary(view, signals("turnStart", view, reading, policy, rules), policy);
}

/** By hand: every result that may go, as if the cache were cold. */
export function clearPlan(
  view: View,
  reading: MeterReading,
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
  reading: MeterReading,
  policy: Policy,
  rules: ModelRules,
  range?: { from?: EntryId; to?: EntryId },
): Plan | null {
  const span = range ? spanWithin(view, range) : usual(view, rules, policy);
  if (!span) return null;
  const price = priceOfSummary(view, reading, span, rules, policy);
  return { tier: "summary", reason: "asked for", summarise: span, price };
}

function usual(view: View, rules: ModelRules, policy: Policy): Span | null {
  const tokens = tokensOf(view, rules);
  const turn = spanBeforeTurns(view, policy.summary.keepTurns, tokens);
  const exchange = spanBeforeExchange(view);
  if (!turn || !exchange) return turn ?? exchange;
  const size = (span: Span): number =>
    view.rows
      .slice(view.indexOf(span.from) ?? 0, (view.indexOf(span.to) ?? 0) + 1)
      .reduce((sum, row) => sum + tokens(row), 0);
  return size(turn) < size(exchange) / 2 ? exchange : turn;
}
