/** The ladder: which tier cuts what, and when. Asked again after every cut, until it proposes none. */

import type { Span } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { clearableTokens, planAll, planBatch } from "./batch.ts";
import { counted } from "../base/in-words.ts";
import { answerRoom, cutPlan, excess, freedBy } from "./fit.ts";
import { planForced } from "./forced.ts";
import { reservedTokens, rowTokens } from "./meter.ts";
import { replaceWhole } from "./placeholder.ts";
import { cuttableResults } from "./protect.ts";
import { rangeOf, sumRows } from "./row-range.ts";
import { spanBeforeExchange, spanBeforeTurns, spanWithin } from "./span.ts";
import { earlySummary, summary, summaryPlanOf, wasJustDeclined } from "./summary-due.ts";
import { byThresholds } from "./thresholds.ts";
import type { Moment, Plan, Signals, SummaryRange, View } from "./types.ts";

/**
 * The next cut, or null. History is rewritten at a turn's start; before a call only if the request
 * would not fit; at a turn's end never, since nothing is about to be sent. Every plan frees tokens. A
 * summary that was just declined or undone is proposed again only if the request does not fit at all.
 */
export function nextPlan(moment: Moment, now: Signals): Plan | null {
  const { view, reading, rules } = now;
  const plan = planAt(moment, now);
  const isWanted = excess(reading, rules) > 0 || !wasJustDeclined(view, reading);
  return plan && "summarize" in plan && !isWanted ? null : plan;
}

function planAt(moment: Moment, now: Signals): Plan | null {
  const { reading, policy, rules } = now;
  if (moment === "turnEnd") return null;
  const isOff = policy.compaction === "off" || policy.autoCompact === "off";
  const due = moment === "turnStart" && !isOff ? dueAtTurnStart(now) : null;
  // With "ask", the agent asks the user first: see `summaryDue`.
  if (due && !("summarize" in due && policy.autoCompact === "ask")) return due;
  const needed = excess(reading, rules) + extraRoom(policy, rules);
  return needed > 0 ? planForced(now, needed) : null;
}

/** Tokens to keep free beyond the minimum for an answer: under the default policy, the reserve. */
export const extraRoom = (policy: Policy, rules: ModelRules): number =>
  policy.policy === "economy" ? Math.max(0, reservedTokens(rules, policy) - answerRoom(rules)) : 0;

function dueAtTurnStart(now: Signals): Plan | null {
  const { view, policy, rules } = now;
  // An interrupted loop is still open, and a cut would invalidate its thinking.
  const waits = view.midLoop && rules.thinking === "bound" && thinksInLoop(view);
  if (waits) return summary(now);
  return policy.policy === "economy" ? byPrice(now) : byThresholds(now);
}

/** Clearing at this share of the summary's threshold postpones the summary. */
const postponed = 0.8;

function byPrice(now: Signals): Plan | null {
  const clear = planBatch(now);
  const early = earlySummary(now, clear);
  // A hot cache makes the summary's call cheap; a cold one makes clearing free.
  const inOrder = now.reading.cache.tokens > 0 ? [early, clear] : [clear, early];
  const plan = inOrder.find((one) => one !== null && freedBy(one) > 0);
  if (plan) return plan;
  const due = summary(now);
  if (!due) return null;
  const { usedTokens, effectiveTokens, utilization } = now.reading;
  const remaining = usedTokens - clearableTokens(now);
  if (remaining > postponed * now.policy.summaryAt * effectiveTokens) return due;
  return planAll(now, `${Math.round(utilization * 100)} % used`) ?? due;
}

const thinksInLoop = (view: View): boolean =>
  view.rows.slice(view.loopStart).some(({ charsByKind }) => charsByKind.thinking > 0);

/** The summary that is due now, for `autoCompact: "ask"`. */
export function summaryDue(now: Signals): Plan | null {
  const { view, reading, policy, rules } = now;
  if (policy.compaction === "off" || policy.autoCompact === "off") return null;
  if (wasJustDeclined(view, reading) && excess(reading, rules) <= 0) return null;
  const due = dueAtTurnStart(now);
  return due && "summarize" in due ? due : null;
}

/** On request: clears every result that may be cleared. */
export function clearPlan(now: Signals): Plan | null {
  const { view, policy } = now;
  const changes = replaceWhole(view, cuttableResults(view, policy.keepResults), "cleared");
  if (changes.length === 0) return null;
  const action = `clear ${counted(changes.length, "old result")}`;
  return { ...cutPlan(now, "microcompact", action, "", changes), reason: "cleared by hand" };
}

/**
 * On request: a summary of everything before the newest turn, or before the newest exchange if that
 * turn is nearly everything; or of the given range.
 */
export function summaryPlan(now: Signals, range?: SummaryRange): Plan | null {
  const span = range ? spanWithin(now.view, range) : defaultSpan(now);
  return span && { ...summaryPlanOf(now, span, ""), reason: "requested" };
}

function defaultSpan({ view, policy, rules }: Signals): Span | null {
  const tokens = rowTokens(view, rules);
  const turn = spanBeforeTurns(view, policy.summary.keepTurns, tokens);
  const exchange = spanBeforeExchange(view);
  if (!turn || !exchange) return exchange;
  const size = (span: Span): number => {
    const { from, to } = rangeOf(view, span);
    return sumRows(view, from, to + 1, (_, row) => tokens.get(row));
  };
  return size(turn) < size(exchange) / 2 ? exchange : turn;
}
