/** The one counter: the number that the meter shows is the number that triggers the tiers. */

import { costOf, ttlMs, usedBy, type ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { kinds, zeroByKind, type Kind } from "./char-count.ts";
import { headTtl } from "./marks.ts";
import type { MeterReading, Row, View } from "./types.ts";

export { kinds } from "./char-count.ts";

/** Tokens that the API adds around a request, until a call has counted them. */
const framingTokens = 30;

/** Relative error of the tokens that were cut: their sum is known, but not each one. */
const cutError = 0.05;

/** Tokens that a row takes in the request now: counted by a call, or else estimated. `index`: of the row, if it is known. */
export const tokensOf =
  (view: View, rules: ModelRules) =>
  (row: Row, index = view.indexOf(row.entry.id)): number => {
    const counted = index === undefined ? null : view.tokenCounts.tokensOf(index);
    const { calibration } = view.tokenCounts;
    return Math.round(counted ?? calibration.tokens(row.charsByKind, rules.charsPerToken));
  };

/** Tokens of all rows from one on. Every plan is priced with them, so nothing is called per row. */
export function tokensFrom({ rows, tokenCounts }: View, rules: ModelRules, from: number): number {
  let sum = 0;
  for (let index = from; index < rows.length; index++) {
    const counted = tokenCounts.tokensOf(index);
    const row = rows[index];
    if (counted !== null) sum += Math.round(counted);
    else if (row)
      sum += Math.round(tokenCounts.calibration.tokens(row.charsByKind, rules.charsPerToken));
  }
  return sum;
}

/** Tokens that a row would take if it were shown whole. */
export const wholeTokensOf =
  (view: View, rules: ModelRules) =>
  (row: Row): number => {
    const index = view.indexOf(row.entry.id);
    const counted = index === undefined ? null : view.tokenCounts.wholeTokensOf(index);
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
  const open = calibration.tokens(uncounted, rules.charsPerToken) + extraTokens;
  const counted = anchor
    ? anchor.usedTokens + tokenCounts.total() - anchor.countedTokens
    : tokenCounts.total() + framingTokens;
  const used = Math.max(0, Math.round(counted + open));
  const effective = effectiveWindow(rules, policy);
  return {
    usedTokens: used,
    errorTokens: Math.round(calibration.errorOf(open) + cutError * tokenCounts.editedTokens),
    windowTokens: rules.windowTokens,
    effectiveTokens: effective,
    utilization: used / effective,
    leftTokens: effective - used,
    breakdown: breakdown(view, rules, used, extraTokens),
    cache: cacheState(view, rules, policy, nowMs),
    idleMs: anchor ? Math.max(0, nowMs - anchor.atMs) : null,
    cost: {
      session: view.bills.usd(rules.prices),
      lastCall: view.lastUsage ? costOf(view.lastUsage, rules.prices) : 0,
    },
  };
}

/** Estimated tokens of a text that is in no entry yet. */
export const tokensOfText = (
  { tokenCounts }: View,
  rules: ModelRules,
  kind: Kind,
  chars: number,
): number => tokenCounts.calibration.tokensOf(kind, chars, rules.charsPerToken);

/** Characters of prose per token, as the session has taught. */
export const proseRatio = ({ tokenCounts }: View, rules: ModelRules): number =>
  tokenCounts.calibration.ratio("prose", rules.charsPerToken);

/** The window without the reserve for the answer, which is at most a third of it. */
export function effectiveWindow(rules: ModelRules, policy: Policy): number {
  const { windowTokens } = rules;
  return Math.max(1, windowTokens - Math.min(policy.reserveTokens, Math.floor(windowTokens / 3)));
}

/** Tokens by kind, scaled so that they add up to `used`. */
function breakdown(
  { tokenCounts }: View,
  rules: ModelRules,
  used: number,
  extraTokens: number,
): Record<Kind, number> {
  const parts = zeroByKind();
  for (const kind of kinds) {
    const open = tokenCounts.calibration.tokensOf(
      kind,
      tokenCounts.uncounted[kind],
      rules.charsPerToken,
    );
    parts[kind] = Math.max(0, tokenCounts.counted[kind] + open);
  }
  parts.user += tokenCounts.uncounted.imageTokens + extraTokens;
  const sum = kinds.reduce((all, kind) => all + parts[kind], 0);
  const scale = sum > 0 ? used / sum : 0;
  for (const kind of kinds) parts[kind] = Math.round(parts[kind] * scale);
  return parts;
}

/** Hot while the server keeps what the last call wrote. */
function cacheState(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): MeterReading["cache"] {
  const { anchor, lastUsage } = view;
  const head = headTtl(view, policy);
  if (!rules.caches || !anchor || !lastUsage)
    return { state: "none", expiresAtMs: null, tokens: 0, headTtl: head };
  const expiresAtMs = anchor.atMs + ttlMs[policy.cacheTtl];
  if (nowMs >= expiresAtMs) return { state: "cold", expiresAtMs: null, tokens: 0, headTtl: head };
  const sent = usedBy(lastUsage) - lastUsage.output;
  const tokens = Math.min(sent, anchor.changed?.tokensBefore ?? sent);
  return {
    state: "hot",
    expiresAtMs,
    tokens: tokens < rules.cacheMinimumTokens ? 0 : Math.round(tokens),
    headTtl: head,
  };
}
