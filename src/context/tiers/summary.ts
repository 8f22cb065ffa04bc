/**
 * Tier 4, "summarize". Fires above 85 % of the window, if the tiers before it would not bring it below
 * that; with `balance: "save"` also earlier, where reading the history costs more than a summary. Covers
 * everything before the newest turn by a summary, with the user's words, instructions, todo list and
 * files in work beside it. Never touches the newest turn and what is pinned; and one that was declined
 * or undone is not proposed again before the context has changed.
 *
 * This file says when. The text is put together in `summary/compose.ts`, priced in `summary/price.ts`, and written
 * and recorded by `agent/compaction/compactor.ts`.
 */

import type { Span } from "../../protocol/entry.ts";
import { countedTurns } from "../../base/in-words.ts";
import type { Policy } from "../../protocol/policy.ts";
import { priceOfSummary } from "../summary/price.ts";
import { countFreshTurns, spanRange } from "../view/rows.ts";
import { freshTokens, fromTheStart, spanBeforeTurns, wholeSpans } from "../summary/span.ts";
import type { MeterReading, Plan, Signals, View } from "../types.ts";

/** The summary that is due; `cut`: what the other tiers would cut instead. */
export function summary(now: Signals, cut: Plan | null): Plan | null {
  const { view, reading, policy, rules } = now;
  const limit = summaryTokens(reading, policy);
  if ((cut?.price.usedAfter ?? reading.usedTokens) <= limit) return null;
  const span = spanBeforeTurns(view, policy.summary.keepTurns, rules);
  if (!span || !isWorthSummary(now, span)) return null;
  return planSummary(now, span, `${Math.round(reading.utilization * 100)} % used`);
}

/** A summary of less than this, in tokens, would hardly be shorter. */
const minSummarized = 1_000;

/** In a small window, shorter spans are worth a summary. */
export const isWorthSummary = ({ view, reading, rules }: Signals, span: Span): boolean =>
  freshTokens(view, span, rules) > Math.min(minSummarized, reading.effectiveTokens / 20);

/** With the balance "save", in tokens. */
const savingAt = 65_000;

/** Above this many tokens a summary is due. */
export function summaryTokens(
  { effectiveTokens }: Pick<MeterReading, "effectiveTokens">,
  { summaryAt, balance }: Pick<Policy, "summaryAt" | "balance">,
): number {
  const tokens = summaryAt <= 1 ? summaryAt * effectiveTokens : summaryAt;
  return Math.min(tokens, effectiveTokens, balance === "save" ? savingAt : Infinity);
}

/**
 * Uses the summary that is ready, if it still fits: what came after it stays verbatim. `skipReady`: another
 * one is to be written.
 */
export function planSummary(now: Signals, wanted: Span, why: string, skipReady = false): Plan {
  const ready = skipReady ? null : readyFor(now, wanted);
  const span = ready?.draft.span ?? wanted;
  const action = `summarize ${countedTurns(countFreshTurns(spanRange(now.view, span)))}`;
  const price = priceOfSummary(now, span, ready?.entry);
  const draft = ready ? { draft: ready.entry.id } : {};
  return { tier: "summary", action, reason: `${action}: ${why}`, summarize: span, ...draft, price };
}

/** Share of what is to be summarized that a summary made earlier must cover. */
const minCovered = 0.7;

function readyFor({ view, rules, policy }: Signals, wanted: Span) {
  const { draft: entry } = view;
  const draft = entry?.draft;
  if (!entry || !draft) return null;
  const maySign = rules.compacts && policy.engine !== "client" && !policy.confirmSummary;
  if (draft.block && !maySign) return null;
  const { from, to } = draft.span;
  const start = draft.block ? wholeSpans(view, fromTheStart(view, wanted)).from : wanted.from;
  const last = view.indexOf(to);
  if (from !== start || last === undefined || last > (view.indexOf(wanted.to) ?? -1)) return null;
  // A summary that was undone, or made, since may now cross its ends.
  if (wholeSpans(view, draft.span).to !== to) return null;
  const covers = freshTokens(view, draft.span, rules);
  return covers >= minCovered * freshTokens(view, wanted, rules) ? { entry, draft } : null;
}

/** Change of the context, as a share of the window, after which a summary is proposed again. */
const proposeAgainShare = 0.05;

/** Whether the latest summary was declined or undone, and the context is still about the same. */
export const wasJustDeclined = (
  { declinedAt }: View,
  { usedTokens, effectiveTokens }: MeterReading,
): boolean =>
  declinedAt !== null && Math.abs(usedTokens - declinedAt) < proposeAgainShare * effectiveTokens;

/** The size in tokens at which it is proposed again. */
export const proposedAgainAt = (declinedAt: number, { effectiveTokens }: MeterReading): number =>
  declinedAt + proposeAgainShare * effectiveTokens;

/** With this setting the user is asked before a summary that does not have to be made. */
export const asksFirst = (plan: Plan, { autoCompact }: Pick<Policy, "autoCompact">): boolean =>
  "summarize" in plan && autoCompact === "ask";
