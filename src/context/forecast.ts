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
  usd: number;
  /** Tokens and price are not known before the summary is written. */
  isEstimate: boolean;
  /** The user is asked first. */
  asks: boolean;
  /** The span of a summary, and whether that is written already; absent: nothing is summarized. */
  summary?: { span: Span; isReady: boolean };
};

/** Null: nothing of the kind comes next. */
export type Forecast = {
  /**
   * The cut that comes when the meter reads `atTokens`; with the next message if it does already. Null
   * if a tier could come before, on results that are not there yet. Stale thinking counts until then,
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

type ForecastKey = { version: number; rules: ModelRules; policy: Policy; atMs: number | null };
const known = new WeakMap<View, ForecastKey & { forecast: Forecast }>();

/**
 * Forecasts the next turn's start, after a message of the user. Both parts are exact for the state as
 * it is: what is added is assumed to be text that no tier may cut. Computed once for each version of
 * the view and state of the cache; each time, it visits every row.
 */
export function forecast(view: View, rules: ModelRules, policy: Policy, nowMs: number): Forecast {
  const { cache } = measure(view, rules, policy, nowMs);
  const atMs = cache.state === "hot" ? cache.expiresAtMs : null;
  const key: ForecastKey = { version: view.version, rules, policy, atMs };
  const before = known.get(view);
  if (before && keys.every((name) => before[name] === key[name])) return before.forecast;
  const computed = compute(view, rules, policy, nowMs, atMs);
  known.set(view, { ...key, forecast: computed });
  return computed;
}

const keys = [
  "version",
  "rules",
  "policy",
  "atMs",
] as const satisfies readonly (keyof ForecastKey)[];

function compute(
  before: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  expiresAtMs: number | null,
): Forecast {
  const view = withoutStaleThinking(before);
  const readingAt = (extra: number, atMs = nowMs): MeterReading =>
    measure(view, rules, policy, atMs, extra);
  const planAt = (extra: number, atMs?: number): Plan | null => {
    const next = { view: withMessage(view, extra), reading: readingAt(extra, atMs), policy, rules };
    return nextPlan("turnStart", next);
  };
  const used = readingAt(0).usedTokens;
  const removed = measure(before, rules, policy, nowMs).usedTokens - used;
  const fits = (extra: number): boolean => excess(readingAt(extra), rules) <= 0;
  const now = planAt(0);
  let bySize: Forecast["bySize"] = now && { ...toEvent(now, policy), atTokens: used + removed };
  for (const atTokens of bySize ? [] : sizesToTry(view, readingAt(0), fits, rules, policy)) {
    const plan = planAt(atTokens - used);
    if (plan) bySize = { ...toEvent(plan, policy), atTokens: atTokens + removed };
    if (plan) break;
  }
  const cold = expiresAtMs === null ? null : planAt(0, expiresAtMs);
  return {
    bySize,
    whenCold: cold && expiresAtMs !== null ? { ...toEvent(cold, policy), atMs: expiresAtMs } : null,
  };
}

const toEvent = (plan: Plan, { autoCompact }: Policy): NextEvent => ({
  tier: plan.tier,
  action: plan.action,
  freesTokens: freedBy(plan),
  usd: plan.price.usd,
  isEstimate: "summarize" in plan,
  asks: "summarize" in plan && autoCompact === "ask",
  ...("summarize" in plan && {
    summary: { span: plan.summarize, isReady: plan.draft !== undefined },
  }),
});

/** A limit that was computed from fractions may be off by this much. */
const rounding = 1e-6;

/**
 * The sizes at which the planner may cut next, ascending: at a limit or just above it. What comes after
 * the first tier's limit is not next: by then there are other results.
 */
function sizesToTry(
  { declinedAt }: View,
  reading: MeterReading,
  fits: (extra: number) => boolean,
  rules: ModelRules,
  policy: Policy,
): number[] {
  const { usedTokens, effectiveTokens, windowTokens } = reading;
  const { budgetAt, snipAt, budgetTightAt } = policy;
  const early = earliestSummary(windowTokens, policy);
  const tiers = [
    ...[budgetAt, snipAt, budgetTightAt].map((share) => share * effectiveTokens),
    summaryTokens(reading, policy),
    ...(early === null ? [] : [early]),
  ].flatMap(sizesAround);
  const next = Math.min(...tiers.filter((size) => size > usedTokens));
  const others = declinedAt === null ? [] : sizesAround(proposedAgainAt(declinedAt, reading));
  const unfit = usedTokens + firstUnfit(rules.windowTokens, fits);
  return [...tiers, ...others, unfit]
    .filter((size) => size > usedTokens && size <= next + 1)
    .sort((a, b) => a - b);
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
