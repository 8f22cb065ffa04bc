/**
 * Tier 4, "summarize". Fires above 85 % of the window if the earlier tiers would not bring it below that; with
 * `balance: "save"` at 65,000 tokens. Replaces everything before the newest turn by a summary, with the user's
 * messages, instructions, todo list and files in use beside it. Never touches the newest turn or pinned items. A
 * declined or undone summary is not proposed again until the context has changed.
 *
 * This file decides when. `compose.ts` composes the text, `price.ts` prices it, and
 * `agent/compaction/apply-summary.ts` writes and records it.
 */

import type { Span } from "../../protocol/entry.ts";
import { countedTurns } from "../../base/format.ts";
import type { Policy } from "../../protocol/policy.ts";
import { priceOfSummary } from "./price.ts";
import { countFreshTurns, spanRange } from "../view/rows.ts";
import { freshTokens, signedSpan, spanBeforeTurns, wholeSpans } from "./span.ts";
import type { MeterReading, Plan, Signals, View } from "../types.ts";

/** The summary that is due; `cut`: the alternative plan of the other tiers. */
export function summary(now: Signals, cut: Plan | null): Plan | null {
  const { view, reading, policy, rules } = now;
  const limit = summaryTokens(reading, policy);
  if ((cut?.price.usedAfter ?? reading.usedTokens) <= limit) return null;
  const span = spanBeforeTurns(view, policy.summary.keepTurns, rules);
  if (!span || !isWorthSummary(now, span)) return null;
  return planSummary(now, span, `${Math.round(reading.utilization * 100)} % used`);
}

/** Minimum span in tokens; a summary of less would hardly be shorter. */
const minSummarized = 1_000;

/** The minimum span is smaller in a small window. */
export const isWorthSummary = ({ view, reading, rules }: Signals, span: Span): boolean =>
  freshTokens(view, span, rules) > Math.min(minSummarized, reading.effectiveTokens / 20);

/** Limit in tokens with `balance: "save"`. */
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
 * Uses the ready summary if it still fits; later messages stay verbatim. `skipReady`: plan a new summary
 * instead.
 */
export function planSummary(now: Signals, wanted: Span, why: string, skipReady = false): Plan {
  const ready = skipReady ? null : readyFor(now, wanted);
  const span = ready?.draft.span ?? wanted;
  const action = `summarize ${countedTurns(countFreshTurns(spanRange(now.view, span)))}`;
  const price = priceOfSummary(now, span, ready?.entry);
  const draft = ready ? { draft: ready.entry.id } : {};
  return { tier: "summary", action, reason: `${action}: ${why}`, summarize: span, ...draft, price };
}

/** Minimum share of the wanted span that a ready summary must cover. */
const minCovered = 0.7;

function readyFor({ view, rules, policy }: Signals, wanted: Span) {
  const { draft: entry } = view;
  const draft = entry?.draft;
  if (!entry || !draft) return null;
  const maySign = rules.compacts && policy.engine !== "client";
  if (draft.block && !maySign) return null;
  const { from, to } = draft.span;
  const start = draft.block ? signedSpan(view, wanted).from : wanted.from;
  const last = view.indexOf(to);
  if (from !== start || last === undefined || last > (view.indexOf(wanted.to) ?? -1)) return null;
  // A summary made or undone since may now overlap its ends.
  if (wholeSpans(view, draft.span).to !== to) return null;
  const covers = freshTokens(view, draft.span, rules);
  return covers >= minCovered * freshTokens(view, wanted, rules) ? { entry, draft } : null;
}

/** A declined summary is proposed again after the context changed by this share of the window. */
const proposeAgainShare = 0.05;

/** Whether the latest summary was declined or undone, and the context is still about the same. */
export const wasJustDeclined = (
  { declinedAt }: View,
  { usedTokens, effectiveTokens }: MeterReading,
): boolean =>
  declinedAt !== null && Math.abs(usedTokens - declinedAt) < proposeAgainShare * effectiveTokens;

/** Context size in tokens at which a declined summary is proposed again. */
export const proposedAgainAt = (declinedAt: number, { effectiveTokens }: MeterReading): number =>
  declinedAt + proposeAgainShare * effectiveTokens;

/** Whether the user must confirm an optional summary (`autoCompact: "ask"`). */
export const asksFirst = (plan: Plan, { autoCompact }: Pick<Policy, "autoCompact">): boolean =>
  "summarize" in plan && autoCompact === "ask";
