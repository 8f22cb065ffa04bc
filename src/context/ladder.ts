/**
 * The ladder: which tiers cut at a boundary, as one plan with one price.
 *
 * At a turn's start each tier says what it would change, and the changes become one cut. A row that two
 * tiers would change is left to the later one. While the cache is hot, a cut must free a part of
 * the window, and the next one waits for a higher mark, until a clear or a summary. If the window is too full even
 * after that cut, a summary takes its place.
 */

import type { Change, Span, TierName } from "../protocol/entry.ts";
import { counted } from "../base/format.ts";
import { cutPlan, freedBy } from "./meter/cache.ts";
import { findRow, spanRange, sumTokens } from "./view/rows.ts";
import { excess } from "./rules/window.ts";
import {
  freshTokens,
  spanBeforeExchange,
  spanBeforeTurns,
  spanTo,
  spanWithin,
} from "./summary/span.ts";
import { budget } from "./tiers/budget.ts";
import { isCold, microcompact } from "./tiers/microcompact.ts";
import { planForced } from "./tiers/forced.ts";
import { cuttableResults } from "./tiers/protect.ts";
import { replaceWhole } from "./tiers/replacement.ts";
import { snip } from "./tiers/snip.ts";
import { summary, summaryTokens, planSummary, wasJustDeclined } from "./summary/when.ts";
import type { Moment, Plan, Signals, SummaryRange, View } from "./types.ts";

/**
 * The cut that is due now, or null. History is rewritten at a turn's start; before a call only if the request
 * would not fit; at a turn's end never, since nothing is about to be sent. With `autoCompact: "ask"`, a
 * summary that does not have to be made is proposed, and the user decides.
 */
export function nextPlan(moment: Moment, now: Signals): Plan | null {
  const { reading, policy, rules } = now;
  if (moment === "turnEnd") return null;
  const due = moment === "turnStart" && policy.compaction === "on" ? planDue(now) : null;
  const needed = excess(reading, rules);
  if (due && freedBy(due) >= needed) return due;
  return needed > 0 ? planForced(now, needed) : null;
}

/** The cut of a turn's start. */
function planDue(now: Signals): Plan | null {
  const { view, reading, policy, rules } = now;
  // An interrupted loop is still open, and a cut would invalidate its thinking.
  const waits = view.midLoop && rules.thinking === "bound" && thinksInLoop(view);
  const cut = waits ? null : planCuts(now);
  const declined = policy.autoCompact === "off" || wasJustDeclined(view, reading);
  const full = declined ? null : summary(now, cut);
  return full && freedBy(full) > 0 ? full : cut;
}

const thinksInLoop = (view: View): boolean =>
  view.rows.slice(view.loopStart).some(({ charsByKind }) => charsByKind.thinking > 0);

/** The tiers that need no model; a later one takes precedence over an earlier one. */
const tiers = [
  ["budget", budget],
  ["snip", snip],
  ["microcompact", microcompact],
] as const;

/** The changes of one tier. */
type TierPart = { tier: (typeof tiers)[number][0]; changes: readonly Change[] };

export function planCuts(now: Signals): Plan | null {
  const { reading } = now;
  const parts: TierPart[] = [];
  const taken = new Set<string>();
  for (const [tier, propose] of tiers.toReversed()) {
    const changes = propose(now).filter((change) => !taken.has(namePlace(change)));
    for (const change of changes) taken.add(namePlace(change));
    if (changes.length > 0) parts.unshift({ tier, changes });
  }
  const why = isCold(now) ? "the cache is cold" : `${Math.round(reading.utilization * 100)} % used`;
  const plan = mergeParts(now, parts, why);
  return freedBy(plan) > 0 && freedBy(plan) >= leastFreed(now, plan) ? plan : null;
}

/** Tokens that a cut must free where it breaks no cache. */
const minTokens = 1_000;

/** Share of the window that a cut must free where a summary is due otherwise. */
const insteadOfSummary = 0.25;

/** Tokens that a cut must free to be made. */
function leastFreed(now: Signals, { price }: Plan): number {
  const { reading, policy } = now;
  const { usedTokens, effectiveTokens } = reading;
  const least = policy.minFreed * effectiveTokens;
  if (price.cachedBroken === 0) return Math.min(minTokens, least);
  if (least > 0 && usedTokens > summaryTokens(reading, policy))
    return insteadOfSummary * effectiveTokens;
  return least > 0 && !hasNewMark(now) ? Infinity : least;
}

/** Whether a mark was passed that has triggered no cut since the last clear or summary. */
function hasNewMark({ view, reading, policy }: Signals): boolean {
  const { budgetAt, snipAt, budgetTightAt } = policy;
  const marks = [budgetAt, snipAt, budgetTightAt].map((share) => share * reading.effectiveTokens);
  const deep = view.cuts.findLastIndex(({ tier }) => tier === "microcompact" || tier === "summary");
  const sizes = view.cuts.slice(deep + 1).map(({ price }) => price.usedBefore);
  const cutAt = Math.max(0, ...sizes);
  return marks.some((mark) => mark <= reading.usedTokens && mark > cutAt);
}

/** The entry that a change shortens: no two tiers take the same one. */
const namePlace = (change: Change): string => (change.kind === "cover" ? "" : change.entry);

/** One cut, named for its last tier; the others' changes say whose they are. */
function mergeParts(now: Signals, parts: readonly TierPart[], why: string): Plan {
  const { view } = now;
  const tier: TierName = parts.at(-1)?.tier ?? "budget";
  const rowIndex = (change: Change): number =>
    change.kind === "cover" ? 0 : (view.indexOf(change.entry) ?? 0);
  const changes = parts
    .flatMap((part) => part.changes.map((change) => ofTier(change, part.tier, tier)))
    .sort((a, b) => rowIndex(a) - rowIndex(b));
  const action = parts.map((part) => describe(part, view)).join(", ");
  return cutPlan(now, tier, action, why, changes);
}

const ofTier = (change: Change, tier: TierName, usual: TierName): Change =>
  tier === usual || change.kind === "cover" ? change : { ...change, tier };

/** "clear 21 old results and 2 long inputs" */
function describe({ tier, changes }: TierPart, view: View): string {
  const results = changes.filter(({ kind }) => kind === "replace").length;
  const inputs = changes.length - results;
  if (tier === "budget") {
    const isResult = (change: Change): boolean =>
      change.kind !== "cover" && findRow(view, change.entry)?.entry.type === "result";
    return `trim ${counted(results, changes.every(isResult) ? "large result" : "large text")}`;
  }
  if (tier === "snip") return `drop ${counted(results, "stale result")}`;
  const things = [
    results > 0 ? counted(results, "old result") : "",
    inputs > 0 ? counted(inputs, "long input") : "",
  ];
  return `clear ${things.filter((part) => part !== "").join(" and ")}`;
}

/** On request: clears every result that may be cleared. */
export function clearPlan(now: Signals): Plan | null {
  const { view, policy } = now;
  const changes = replaceWhole(view, cuttableResults(view, policy.keepResults), "cleared");
  if (changes.length === 0) return null;
  const plan = mergeParts(now, [{ tier: "microcompact", changes }], "");
  return { ...plan, reason: "cleared by hand" };
}

/**
 * On request: a summary of everything before the newest turn, or before the newest exchange if that
 * turn is nearly everything; or of exactly the given range. Without a range, a summary that is ready for
 * the next message is used at once, although it covers the newest turn, too. `skipReady`: another one is
 * to be written. Null: it would cover next to nothing.
 */
export function summaryPlan(
  now: Signals,
  range?: SummaryRange,
  { skipReady = false } = {},
): Plan | null {
  const span = spanOnRequest(now, range);
  const isNew = skipReady || range !== undefined;
  const ready = isNew ? null : readyPlan(now);
  if (ready || !span || freshTokens(now.view, span, now.rules) < minFreshTokens) return ready;
  return { ...planSummary(now, span, "", isNew), reason: "requested" };
}

/** Fewer new tokens than this are not worth a summary. */
const minFreshTokens = 200;

/** Why there is no summary on request. */
export function whyNoSummary(now: Signals, range?: SummaryRange): string {
  const span = spanOnRequest(now, range);
  if (!span) return "Nothing to compact yet.";
  const fresh = freshTokens(now.view, span, now.rules);
  return fresh === 0
    ? "Nothing to compact: everything before the newest turn is summarized or pinned."
    : `Nothing to compact yet: a summary would cover only ${counted(fresh, "token")}.`;
}

const spanOnRequest = (now: Signals, range?: SummaryRange): Span | null =>
  range ? spanWithin(now.view, range) : defaultSpan(now);

/** With the summary that is ready for the next message; null: none is, or a tool loop is open. */
function readyPlan(now: Signals): Plan | null {
  const { view } = now;
  const all = view.draft && !view.midLoop ? spanTo(view, view.rows.length - 1) : null;
  const plan = all && planSummary(now, all, "");
  return plan && "draft" in plan ? { ...plan, reason: "requested" } : null;
}

function defaultSpan({ view, policy, rules }: Signals): Span | null {
  const turn = spanBeforeTurns(view, policy.summary.keepTurns, rules);
  const exchange = spanBeforeExchange(view);
  // A session of one turn that has ended: all of it.
  if (!turn && !exchange) return view.midLoop ? null : spanTo(view, view.rows.length - 1);
  if (!turn || !exchange) return exchange;
  const size = (span: Span): number => {
    const { from, to } = spanRange(view, span);
    return sumTokens(view, rules, from, to + 1);
  };
  return size(turn) < size(exchange) / 2 ? exchange : turn;
}
