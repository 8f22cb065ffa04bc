/** The forecast: the planner's own answer for the state to come. */

import { clipLine } from "../base/clip.ts";
import type { Entry, EntryId, EntryOf, Span, TierName } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { sumChars, zeroChars } from "./view/char-count.ts";
import { estimatePrompt, freedBy } from "./meter/cache.ts";
import { excess } from "./rules/window.ts";
import { cacheState, measure } from "./meter/meter.ts";
import { clearPlan, nextPlan, planCuts, summaryPlan } from "./ladder.ts";
import { proposedAgainAt, summaryTokens } from "./summary/when.ts";
import { findCall, findRow, isResult, type ResultRow, rowTokens } from "./view/rows.ts";
import { Projection } from "./view/view.ts";
import type { MeterReading, Plan, Row, Signals, View } from "./types.ts";

/** All cuts of the next turn's start, as one event. */
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
  /** A summary by hand would pay for itself after so few calls that it is advised. */
  pays?: { calls: number };
};

/**
 * The next event, and when: with the next message, with the first one after the summary is written, at a size, or
 * when the cache expires.
 */
type NextUp = NextEvent & {
  when: "message" | "written" | { atTokens: number } | { atMs: number };
};

/** The one event to show; null: nothing is known to come next. `isWriting`: a summary is being written. */
export function nextUp(
  { bySize, whenCold }: Forecast,
  usedTokens: number,
  isWriting = false,
): NextUp | null {
  if (bySize) {
    const { atTokens, summary } = bySize;
    const waits = isWriting && summary?.isReady === false;
    const isDue = atTokens <= usedTokens;
    return { ...bySize, when: isDue ? (waits ? "written" : "message") : { atTokens } };
  }
  return whenCold && { ...whenCold, when: { atMs: whenCold.atMs } };
}

/** A forecast, and the sizes of the draft in tokens for which it holds: from one to below the other. */
type Piece = { from: number; below: number; forecast: Forecast };

type Known = {
  version: number;
  rules: ModelRules;
  policy: Policy;
  atMs: number | null;
  pieces: Piece[];
};
const known = new WeakMap<View, Known>();

/**
 * Forecasts the next turn's start, after a message of the user: exact for the state as it is and a
 * message that no tier may cut. `draftTokens`: of the message that is being typed, an estimate, which
 * counts once something else comes next because of it. Computed once for each version of the view, state
 * of the cache and range of drafts; each time, it visits every row.
 */
export function forecast(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  draftTokens = 0,
): Forecast {
  const { atMs, pieces } = findKnown(view, rules, policy, nowMs);
  const pieceFor = (draft: number): Piece => {
    const before = findPiece(pieces, draft);
    if (before) return before;
    const piece = compute(view, rules, policy, nowMs, atMs, draft);
    pieces.push(piece);
    return piece;
  };
  pieceFor(0);
  return pieceFor(draftTokens).forecast;
}

/** Names what `forecast` returns for a draft, in constant time: equal keys have the same forecast. */
export function forecastKey(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  draftTokens: number,
): unknown {
  const known = findKnown(view, rules, policy, nowMs);
  return findPiece(known.pieces, draftTokens) ?? draftTokens;
}

const findPiece = (pieces: readonly Piece[], draft: number): Piece | undefined =>
  pieces.find(({ from, below }) => from <= draft && draft < below);

/** The forecasts of this state; `atMs`: when the cache expires, if it is hot and that is known. */
function findKnown(view: View, rules: ModelRules, policy: Policy, nowMs: number): Known {
  const { version } = view;
  const cache = cacheState(view, rules, policy, nowMs);
  const atMs = cache.state === "hot" ? cache.expiresAtMs : null;
  const state = { version, rules, policy, atMs };
  const before = known.get(view);
  if (before && keys.every((name) => before[name] === state[name])) return before;
  const next: Known = { ...state, pieces: [] };
  known.set(view, next);
  return next;
}

const keys = ["version", "rules", "policy", "atMs"] as const satisfies readonly (keyof Known)[];

const later = new WeakMap<View, { version: number; view: View }>();

/** The view once a message of the user has removed stale thinking. As expensive as opening the session. */
function afterMessage(view: View): View {
  if (!view.staleThinking || view.midLoop) return view;
  const { path, head, version } = view;
  const before = later.get(view);
  if (before?.version === version) return before.view;
  const message: Entry = { id: "next", parent: head, at: "", type: "user", content: [] };
  const next = new Projection([...path, message]).view;
  later.set(view, { version, view: next });
  return next;
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
): Piece {
  const view = afterMessage(before);
  const readingAt = (extra: number, atMs = nowMs): MeterReading =>
    measure(view, rules, policy, atMs, draftTokens + extra);
  const eventAt = (extra: number, atMs?: number): NextEvent | null => {
    const next = { view: withMessage(view, draftTokens + extra), reading: readingAt(extra, atMs) };
    const plan = nextPlan("turnStart", { ...next, policy, rules });
    return plan && toEvent(plan, policy, draftTokens > 0);
  };
  const reading = readingAt(0);
  const used = reading.usedTokens;
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
  const whenCold = cold && expiresAtMs !== null ? { ...cold, atMs: expiresAtMs } : null;
  const due = [now, cold].flatMap((event) => event?.freesTokens ?? []);
  const ends = draftLimits(view, rules, policy, nowMs, due);
  return {
    from: Math.max(0, ...ends.filter((size) => size <= draftTokens)),
    below: Math.min(...ends.filter((size) => size > draftTokens)),
    forecast: { bySize, whenCold, ...(now ? {} : advise({ view, reading, policy, rules })) },
  };
}

/** A summary is advised where a call reads for so much, in US dollars, and so few calls pay it back. */
const minReadUsd = 0.05;
const fewCalls = 5;

function advise(now: Signals): Pick<Forecast, "pays"> {
  const { reading, policy, rules } = now;
  const readUsd = (reading.usedTokens * rules.prices.cacheRead) / 1e6;
  const isWanted = policy.compaction === "on" && rules.summarizes !== false;
  if (!isWanted || reading.cache.state !== "hot" || readUsd < minReadUsd) return {};
  const calls = summaryPlan(now)?.price.breakEvenCalls ?? Infinity;
  return calls <= fewCalls ? { pays: { calls } } : {};
}

/** Draft sizes at which the next cut may change: in the window as it is, and after each due cut. */
function draftLimits(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  freedByDue: readonly number[],
): number[] {
  const at = (extra: number): MeterReading => measure(view, rules, policy, nowMs, extra);
  const { usedTokens } = at(0);
  return [0, ...freedByDue]
    .flatMap((freed) => listLimits(view, at, rules, policy, freed).all)
    .map((size) => size - usedTokens);
}

const toEvent = (plan: Plan, { autoCompact }: Policy, withDraft: boolean): NextEvent => ({
  tier: plan.tier,
  action: plan.action,
  freesTokens: freedBy(plan),
  usd: plan.price.usd,
  isEstimate: withDraft || ("summarize" in plan && plan.draft === undefined),
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

/**
 * Sizes at or just above a limit: `tiers`, the limits of the tiers, and `all`, every size at which another cut may
 * come. With `freed`, the sizes that reach a limit after a cut that frees so many tokens.
 */
function listLimits(view: View, at: ReadingAt, rules: ModelRules, policy: Policy, freed = 0) {
  const reading = at(0);
  const { declinedAt } = view;
  const { budgetAt, snipAt, budgetTightAt } = policy;
  const tiers = [
    ...[budgetAt, snipAt, budgetTightAt].map((share) => share * reading.effectiveTokens),
    summaryTokens(reading, policy),
  ].flatMap((limit) => sizesAround(limit + freed));
  const others = [
    ...(declinedAt === null ? [] : sizesAround(proposedAgainAt(declinedAt, reading))),
  ];
  const fits = (extra: number): boolean => excess(at(extra), rules) <= freed;
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

export type ColdCache = {
  /** Price of the next call's prompt in US dollars, without its answer. */
  asIsUsd: number;
  clearedUsd: number;
  /** The cut, as an imperative: "clear 3 old results". */
  action: string;
  /** The policy does so when the next message is sent. */
  isAutomatic: boolean;
  /** The largest results that go, named for the user. */
  largest: readonly { entry: EntryId; name: string; tokens: number }[];
  /** The prices of the model are. */
  isEstimate?: true | undefined;
};

const leastSaved = { share: 0.1, usd: 0.01 };

/** null if the cache is not cold, or clearing would save little. */
export function findColdCache(
  view: View,
  reading: MeterReading,
  rules: ModelRules,
  policy: Policy,
): ColdCache | null {
  if (reading.cache.state !== "cold") return null;
  const nowMs = (view.anchor?.atMs ?? 0) + (reading.idleMs ?? 0);
  const { bySize: next } = forecast(view, rules, policy, nowMs);
  const isDue = next !== null && next.atTokens <= reading.usedTokens && next.tier !== "summary";
  const plan = isDue ? null : clearPlan({ view, reading, policy, rules });
  const frees = isDue ? next.freesTokens : plan ? freedBy(plan) : 0;
  const action = isDue ? next.action : plan?.action;
  if (action === undefined) return null;
  const asIsUsd = estimatePrompt(reading, rules, policy);
  const cleared = { ...reading, usedTokens: reading.usedTokens - frees };
  const clearedUsd = estimatePrompt(cleared, rules, policy);
  if (asIsUsd - clearedUsd < Math.max(leastSaved.usd, asIsUsd * leastSaved.share)) return null;
  const { isEstimate } = reading.cost;
  const gone = isDue ? planCuts({ view, reading, policy, rules }) : plan;
  const largest = findLargest(view, rules, gone);
  return { asIsUsd, clearedUsd, action, isAutomatic: isDue, largest, isEstimate };
}

const mostNamed = 3;

function findLargest(view: View, rules: ModelRules, plan: Plan | null): ColdCache["largest"] {
  const tokens = rowTokens(view, rules);
  const changes = plan && "changes" in plan ? plan.changes : [];
  return changes
    .flatMap((change) => {
      const row = change.kind === "replace" ? findRow(view, change.entry) : undefined;
      if (!row || !isResult(row)) return [];
      const { id } = row.entry;
      return [
        { entry: id, name: nameResult(view, row), tokens: tokens[view.indexOf(id) ?? 0] ?? 0 },
      ];
    })
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, mostNamed);
}

/** By the file that it shows, or the command that it answers. */
function nameResult(view: View, { entry }: ResultRow): string {
  const path = entry.stamps?.[0]?.path;
  if (path !== undefined) return path.slice(path.lastIndexOf("/") + 1);
  const command = findCall(view, entry)?.input["command"];
  return typeof command === "string" ? clipLine(command, 30) : entry.tool;
}
