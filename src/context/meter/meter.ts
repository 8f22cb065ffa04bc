/** The one counter: the number that the meter shows is the number that triggers the tiers. */

import {
  callCost,
  ttlMs,
  usedBy,
  type CharsPerToken,
  type ModelRules,
} from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { kinds, zeroByKind, type Kind } from "./char-count.ts";
import { headTtl } from "../rules/marks.ts";
import type { Anchor, CachedPrefix, MeterReading, Row, View } from "../types.ts";

/** Tokens that the API adds around a request, until a call has counted them. */
const framingTokens = 30;

/** Relative error of the tokens that were cut: their sum is known, but not each one. */
const cutError = 0.05;

/** Tokens that a row takes in the request now: counted by a call, or else estimated. `index`: of the row, if it is known. */
export const rowCounter =
  (view: View, rules: ModelRules) =>
  (row: Row, index = view.indexOf(row.entry.id)): number => {
    const counted = index === undefined ? null : view.tokenCounts.countedTokens(index);
    const { calibration } = view.tokenCounts;
    return Math.round(counted ?? calibration.tokens(row.charsByKind, rules.charsPerToken));
  };

/** Tokens by row; of a row that is not sent, zero. */
type RowTokens = readonly number[];

type CountedRows = { version: number; charsPerToken: CharsPerToken; tokens: RowTokens };
const known = new WeakMap<readonly Row[], CountedRows>();

/** The tokens of every row, which a plan adds up many times. Computed once for each version of the view. */
export function rowTokens(view: View, rules: ModelRules): RowTokens {
  const { rows, version } = view;
  const { charsPerToken } = rules;
  const before = known.get(rows);
  if (before?.version === version && before.charsPerToken === charsPerToken) return before.tokens;
  const count = rowCounter(view, rules);
  const tokens = rows.map((row, index) => count(row, index));
  known.set(rows, { version, charsPerToken, tokens });
  return tokens;
}

/** Tokens of the rows from one to another, without the latter; of those for which `counts` is true. */
export function sumTokens(
  view: View,
  rules: ModelRules,
  from: number,
  to = view.rows.length,
  counts: (row: Row) => boolean = () => true,
): number {
  const tokens = rowTokens(view, rules);
  let sum = 0;
  for (let index = from; index < to; index++) {
    const row = view.rows[index];
    if (row && counts(row)) sum += tokens[index] ?? 0;
  }
  return sum;
}

/** Tokens that a row would take if it were shown whole. */
export const wholeRowCounter =
  (view: View, rules: ModelRules) =>
  (row: Row): number => {
    const index = view.indexOf(row.entry.id);
    const counted = index === undefined ? null : view.tokenCounts.countedWholeTokens(index);
    const { calibration } = view.tokenCounts;
    return Math.round(counted ?? calibration.tokens(row.wholeCharsByKind, rules.charsPerToken));
  };

/**
 * Reads the meter: what the server last counted, plus an estimate of what came after and minus what
 * was cut since. Costs the same however long the history is. `extraTokens` are added at the end.
 */
export function measure(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  extraTokens = 0,
): MeterReading {
  const { anchor, tokenCounts } = view;
  const { calibration, uncounted } = tokenCounts;
  const open = calibration.tokens(uncounted, rules.charsPerToken);
  const counted = anchor
    ? anchor.usedTokens + tokenCounts.total() - anchor.countedTokens
    : tokenCounts.total() + framingTokens;
  const used = Math.max(0, Math.round(counted + open) + Math.round(extraTokens));
  const effective = effectiveWindow(rules, policy);
  return {
    usedTokens: used,
    // From the rounded size, so that what triggers at a size depends on nothing finer than that.
    errorTokens: Math.round(
      calibration.expectedError(Math.max(0, used - Math.round(counted))) +
        cutError * tokenCounts.editedTokens,
    ),
    windowTokens: rules.windowTokens,
    effectiveTokens: effective,
    utilization: used / effective,
    leftTokens: effective - used,
    breakdown: breakdown(view, rules, used, extraTokens),
    cache: cacheState(view, rules, policy, nowMs),
    idleMs: anchor ? Math.max(0, nowMs - anchor.atMs) : null,
    cost: {
      session: view.bills.usd(rules.prices),
      lastCall: view.lastUsage ? callCost(view.lastUsage, rules.prices) : 0,
      ...((rules.prices.areEstimates || view.bills.isEstimateElsewhere) && { isEstimate: true }),
    },
  };
}

/** Estimated tokens of a text that is in no entry yet. */
export const tokensOfText = (
  { tokenCounts }: View,
  rules: ModelRules,
  kind: Kind,
  chars: number,
): number => tokenCounts.calibration.textTokens(kind, chars, rules.charsPerToken);

/** Characters of prose per token, as learned in this session. */
export const proseRatio = ({ tokenCounts }: View, rules: ModelRules): number =>
  tokenCounts.calibration.ratio("prose", rules.charsPerToken);

/** The window without the reserve for the answer, which is at most an eighth of it. */
export const effectiveWindow = ({ windowTokens }: ModelRules, { reserveTokens }: Policy): number =>
  Math.max(1, windowTokens - Math.min(reserveTokens, Math.floor(windowTokens / 8)));

/** Tokens by kind, scaled so that they add up to `used`. */
function breakdown(
  { tokenCounts }: View,
  rules: ModelRules,
  used: number,
  extraTokens: number,
): Record<Kind, number> {
  const parts = zeroByKind();
  for (const kind of kinds) {
    const open = tokenCounts.calibration.textTokens(
      kind,
      tokenCounts.uncounted[kind],
      rules.charsPerToken,
    );
    parts[kind] = Math.max(0, tokenCounts.counted[kind] + open);
  }
  parts.user += tokenCounts.uncounted.imageTokens + extraTokens;
  // Unexplained tokens belong to the conversation: the parts before it do not grow.
  const sum = kinds.reduce((all, kind) => all + parts[kind], 0);
  const fixed = parts.system + parts.tools;
  const isPlain = sum > fixed && used > fixed;
  const scale = isPlain ? (used - fixed) / (sum - fixed) : sum > 0 ? used / sum : 0;
  for (const kind of kinds) {
    const stays = isPlain && (kind === "system" || kind === "tools");
    parts[kind] = Math.round(stays ? parts[kind] : parts[kind] * scale);
  }
  return parts;
}

/**
 * Whether the server still has the prompt cached, and until when. Hot while it keeps what the last call
 * sent: as long as its cache lives, or, where that is not known, as long as the prefix stays the same.
 * Servers that say nothing reuse it, too: unknown is never cold.
 */
export function cacheState(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): MeterReading["cache"] {
  const { anchor, lastUsage } = view;
  const head = headTtl(view, policy);
  if (!anchor || !lastUsage) return { state: "none", expiresAtMs: null, tokens: 0, headTtl: head };
  const expiresAtMs = rules.caches ? anchor.atMs + ttlMs[policy.cacheTtl] : null;
  // A call dated in the future was made while the clock was wrong, so its time is unknown.
  const isPast = anchor.atMs <= nowMs + ttlMs["5m"];
  if (expiresAtMs !== null && (nowMs >= expiresAtMs || !isPast))
    return { state: "cold", expiresAtMs: null, tokens: 0, headTtl: head };
  const sent = usedBy(lastUsage) - lastUsage.output;
  const tokens = Math.min(sent, anchor.changed?.tokensBefore ?? sent);
  return {
    state: "hot",
    expiresAtMs,
    tokens: tokens < rules.cacheMinimumTokens ? 0 : Math.round(tokens),
    headTtl: head,
  };
}

/** The anchor once the rows from `first` on differ from what was sent. */
export function withChange(
  anchor: Anchor,
  first: number,
  view: Pick<View, "tokenCounts" | "cachedPrefixes">,
): Anchor {
  if (first > anchor.row) return anchor;
  if (anchor.changed !== null && anchor.changed.row <= first) return anchor;
  const { rows: cachedRows, tokens: tokensBefore } = cachedBefore(view, first);
  return { ...anchor, changed: { row: first, cachedRows, tokensBefore } };
}

/** How much the server could still read from its cache if a row changed. */
export function cachedBefore(
  { tokenCounts, cachedPrefixes }: Pick<View, "tokenCounts" | "cachedPrefixes">,
  row: number,
): CachedPrefix {
  const { system, tools } = tokenCounts.counted;
  const head = { rows: 0, tokens: system + tools };
  if (cachedPrefixes) return cachedPrefixes.findLast(({ rows }) => rows <= row) ?? head;
  let { tokens } = head;
  for (let before = 0; before < row; before++) tokens += tokenCounts.countedTokens(before) ?? 0;
  return { rows: row, tokens };
}
