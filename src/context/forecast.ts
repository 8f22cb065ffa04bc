/** The forecast: the planner's own answer for the state to come. */

import type { EntryOf, Span, TierName } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { sumChars, zeroChars } from "./meter/char-count.ts";
import { freedBy } from "./meter/cache.ts";
import { excess } from "./rules/window.ts";
import { measure } from "./meter/meter.ts";
import { nextPlan } from "./ladder.ts";
import { earliestSummary, proposedAgainAt, summaryTokens } from "./tiers/summary.ts";
import { withoutStaleThinking } from "./rules/thinking.ts";
import type { MeterReading, Plan, Row, View } from "./types.ts";

/** All that is cut at the next turn's start, as one event. */
export type NextEvent = {
  /** The last of its tiers. */
  tier: TierName;
  /** Its action, as an imperative: "trim 1 large result, clear 21 old results". */
  action: string;
  freesTokens: number;
  /** Still to be paid, in US dollars. */
  usd: number;
  /** Tokens and price are not known before the summary is written, or the draft counted. */
  isEstimate: boolean;
  /** The user is asked first. */
  asks: boolean;
  /** The span of a summary, and whether that is written already; absent: nothing is summarized. */
  summary?: { span: Span; isReady: boolean };
};

/** Null: nothing of the kind comes next. */
export type Forecast = {
  /**
   * The cut that comes when the meter, with the draft, reads `atTokens`; with the next message if it does
   * already. Null if a tier could come before, on results that are not there yet. Stale thinking counts until then,
   * although the message removes it.
   */
  bySize: (NextEvent & { atTokens: number }) | null;
  /** The cut when the prompt cache expires before the next turn. */
  whenCold: (NextEvent & { atMs: number }) | null;
};

/** The next event, and when: with the next message, at a size, or when the cache expires. */
type NextUp = NextEvent & { when: "message" | { atTokens: number } | { atMs: number } };

/** The one event to show; null: nothing is known to come next. */
export function nextUp({ bySize, whenCold }: Forecast, usedTokens: number): NextUp | null {
  if (bySize) {
    const { atTokens } = bySize;
    return { ...bySize, when: atTokens <= usedTokens ? "message" : { atTokens } };
  }
  return whenCold && { ...whenCold, when: { atMs: whenCold.atMs } };
}

type ForecastKey = {
  version: number;
  rules: ModelRules;
  policy: Policy;
  atMs: number | null;
  reached: number;
};
const known = new WeakMap<View, ForecastKey & { forecast: Forecast }>();

/**
 * Forecasts the next turn's start, after a message of the user: exact for the state as it is and a
 * message that no tier may cut. `draftTokens`: of the message that is being typed, an estimate, which
 * counts once it reaches a limit. Computed once for each version of the view, state of the cache and
 * limit that the draft reaches; each time, it visits every row.
 */
export function forecast(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  draftTokens = 0,
): Forecast {
  const { cache } = measure(view, rules, policy, nowMs);
  const atMs = cache.state === "hot" ? cache.expiresAtMs : null;
  const reached = limitsReached(view, rules, policy, nowMs, draftTokens);
  const key: ForecastKey = { version: view.version, rules, policy, atMs, reached };
  const before = known.get(view);
  if (before && keys.every((name) => before[name] === key[name])) return before.forecast;
  const computed = compute(view, rules, policy, nowMs, atMs, reached > 0 ? draftTokens : 0);
  known.set(view, { ...key, forecast: computed });
  return computed;
}

const keys = [
  "version",
  "rules",
  "policy",
  "atMs",
  "reached",
] as const satisfies readonly (keyof ForecastKey)[];

/** How many limits the draft reaches, so that a forecast without it may not be what comes next. */
export function limitsReached(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  draftTokens: number,
): number {
  if (draftTokens <= 0) return 0;
  const at = (extra: number): MeterReading => measure(view, rules, policy, nowMs, extra);
  const { usedTokens } = at(0);
  return listLimits(view, at, rules, policy).all.filter(
    (size) => size > usedTokens && size <= usedTokens + draftTokens,
  ).length;
}

/** The reading with so many tokens more. */
type ReadingAt = (extra: number) => MeterReading;

function compute(
  before: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  expiresAtMs: number | null,
  draftTokens: number,
): Forecast {
  const view = withoutStaleThinking(before);
  const readingAt = (extra: number, atMs = nowMs): MeterReading =>
    measure(view, rules, policy, atMs, draftTokens + extra);
  const eventAt = (extra: number, atMs?: number): NextEvent | null => {
    const next = { view: withMessage(view, draftTokens + extra), reading: readingAt(extra, atMs) };
    const plan = nextPlan("turnStart", { ...next, policy, rules });
    return plan && toEvent(plan, policy, draftTokens > 0);
  };
  const used = readingAt(0).usedTokens;
  const shown = measure(before, rules, policy, nowMs).usedTokens;
  const removed = shown + draftTokens - used;
  const now = eventAt(0);
  let bySize: Forecast["bySize"] = now && { ...now, atTokens: shown };
  for (const atTokens of bySize ? [] : sizesToTry(view, readingAt, rules, policy)) {
    const event = eventAt(atTokens - used);
    if (event) bySize = { ...event, atTokens: atTokens + removed };
    if (event) break;
  }
  const cold = expiresAtMs === null ? null : eventAt(0, expiresAtMs);
  return { bySize, whenCold: cold && expiresAtMs !== null ? { ...cold, atMs: expiresAtMs } : null };
}

const toEvent = (plan: Plan, { autoCompact }: Policy, withDraft: boolean): NextEvent => ({
  tier: plan.tier,
  action: plan.action,
  freesTokens: freedBy(plan),
  usd: plan.price.usd,
  isEstimate: withDraft || "summarize" in plan,
  asks: "summarize" in plan && autoCompact === "ask",
  ...("summarize" in plan && {
    summary: { span: plan.summarize, isReady: plan.draft !== undefined },
  }),
});

/** A limit that was computed from fractions may be off by this much. */
const rounding = 1e-6;

/**
 * The sizes at which the planner may cut next, ascending. What comes after the first tier's limit is
 * not next: by then there are other results.
 */
function sizesToTry(view: View, at: ReadingAt, rules: ModelRules, policy: Policy): number[] {
  const { usedTokens } = at(0);
  const { tiers, all } = listLimits(view, at, rules, policy);
  const next = Math.min(...tiers.filter((size) => size > usedTokens));
  return all.filter((size) => size > usedTokens && size <= next + 1).sort((a, b) => a - b);
}

/** Sizes at or just above a limit: those of the tiers, and with those at which another cut may come. */
function listLimits({ declinedAt }: View, at: ReadingAt, rules: ModelRules, policy: Policy) {
  const reading = at(0);
  const { budgetAt, snipAt, budgetTightAt } = policy;
  const early = earliestSummary(reading.windowTokens, policy);
  const tiers = [
    ...[budgetAt, snipAt, budgetTightAt].map((share) => share * reading.effectiveTokens),
    summaryTokens(reading, policy),
    ...(early === null ? [] : [early]),
  ].flatMap(sizesAround);
  const others = declinedAt === null ? [] : sizesAround(proposedAgainAt(declinedAt, reading));
  const fits = (extra: number): boolean => excess(at(extra), rules) <= 0;
  const unfit = reading.usedTokens + firstUnfit(rules.windowTokens, fits);
  return { tiers, all: [...tiers, ...others, unfit] };
}

/** At the limit, and just above it. */
const sizesAround = (limit: number): number[] => [
  Math.ceil(limit - rounding),
  Math.floor(limit + rounding) + 1,
];

/** The least growth with which the next request would not fit. */
function firstUnfit(windowTokens: number, fits: (extra: number) => boolean): number {
  let [low, high] = [0, windowTokens];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return high;
}

/** The view as it will be once the user has sent a message of so many tokens. */
const withMessage = (view: View, tokens: number): View =>
  Object.create(view, { rows: { value: [...view.rows, messageRow(view, tokens)] } });

function messageRow({ head }: View, tokens: number): Row {
  const entry: EntryOf<"user"> = { id: "", parent: head, at: "", type: "user", content: [] };
  const charsByKind = { ...zeroChars, imageTokens: tokens };
  const chars = sumChars(charsByKind);
  const sizes = { charsByKind, wholeCharsByKind: charsByKind, chars, wholeChars: chars };
  return { entry, shown: "whole", pinned: false, ...sizes };
}
