/** The one counter: what the meter shows is what fires the tiers. */

import { costOf, ttlMs, usedBy, type ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import type { MeterReading, Row, View } from "./types.ts";
import type { Kind } from "./char-count.ts";
import { kinds, zeroByKind } from "./char-count.ts";

export { kinds } from "./char-count.ts";

/** Tokens that the API adds around a request, until a call has counted them. */
const framingTokens = 30;

/** Share by which the tokens of what was cut may be wrong: known together, but not one by one. */
const cutError = 0.05;

/** Tokens that a row takes in the request now: counted by a call, or else by what it weighs. */
export const tokensOf =
  (view: View, rules: ModelRules) =>
  (row: Row): number =>
    Math.round(
      view.tokenCounts.tokensOf(view.indexOf(row.entry.id) ?? -1) ??
        view.tokenCounts.calibration.tokens(row.charsByKind, rules.charsPerToken),
    );

/** Tokens that a row would take if it were shown whole. */
export const wholeTokensOf =
  (view: View, rules: ModelRules) =>
  (row: Row): number =>
    Math.round(
      view.tokenCounts.wholeTokensOf(view.indexOf(row.entry.id) ?? -1) ??
        view.tokenCounts.calibration.tokens(row.wholeCharsByKind, rules.charsPerToken),
    );

/**
 * Reads the meter: what the server last counted, plus an estimate of what came after and minus what
 * was cut since. Costs the same however long the history is.
 */
export function measure(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): MeterReading {
  const { anchor, tokenCounts } = view;
  const open = tokenCounts.calibration.tokens(tokenCounts.uncounted, rules.charsPerToken);
  const counted = anchor
    ? anchor.usedTokens + tokenCounts.total() - anchor.countedTokens
    : tokenCounts.total() + framingTokens;
  const used = Math.max(0, Math.round(counted + open));
  const effective = effectiveWindow(rules, policy);
  return {
    usedTokens: used,
    errorTokens: Math.round(
      tokenCounts.calibration.errorOf(open) + cutError * tokenCounts.editedTokens,
    ),
    windowTokens: rules.windowTokens,
    effectiveTokens: effective,
    utilisation: used / effective,
    leftTokens: effective - used,
    next: nextTier(used, effective, policy),
    breakdown: breakdown(view, rules, used),
    cache: cacheState(view, rules, policy, nowMs),
    idleMs: anchor ? Math.max(0, nowMs - anchor.atMs) : null,
    cost: {
      session: costOf(view.totalUsage, rules.prices),
      lastCall: view.lastUsage ? costOf(view.lastUsage, rules.prices) : 0,
    },
  };
}

/** Tokens of a text that is in no entry yet, by what the session has taught. */
export const tokensOfText = (
  { tokenCounts }: View,
  rules: ModelRules,
  kind: Kind,
  chars: number,
): number => tokenCounts.calibration.tokensOf(kind, chars, rules.charsPerToken);

/** What may be filled: the window less the reserve for the answer, which takes a third at most. */
export function effectiveWindow(rules: ModelRules, policy: Policy): number {
  const { windowTokens } = rules;
  return Math.max(1, windowTokens - Math.min(policy.reserveTokens, Math.floor(windowTokens / 3)));
}

function nextTier(used: number, effective: number, policy: Policy): MeterReading["next"] {
  const ladder = [
    { tier: "budget", at: policy.budgetAt },
    { tier: "snip", at: policy.snipAt },
    { tier: "budget", at: policy.budgetTightAt },
    { tier: "summary", at: policy.summaryAt },
  ] as const;
  const next = ladder
    .map(({ tier, at }) => ({ tier, atTokens: Math.round(at * effective) }))
    .filter(({ atTokens }) => atTokens > used)
    .sort((a, b) => a.atTokens - b.atTokens)[0];
  return next ?? null;
}

/** By kind; what the server counted beside all that is known is its own framing of the request. */
function breakdown({ tokenCounts }: View, rules: ModelRules, used: number): Record<Kind, number> {
  const parts = zeroByKind();
  for (const kind of kinds) {
    const open = tokenCounts.calibration.tokensOf(
      kind,
      tokenCounts.uncounted[kind],
      rules.charsPerToken,
    );
    parts[kind] = Math.max(0, tokenCounts.counted[kind] + open);
  }
  parts.user += tokenCounts.uncounted.imageTokens;
  const sum = kinds.reduce((all, kind) => all + parts[kind], 0);
  const scale = sum > 0 ? used / sum : 0;
  for (const kind of kinds) parts[kind] = Math.round(parts[kind] * scale);
  return parts;
}

/** Hot while the server still keeps what the last call put there. */
function cacheState(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): MeterReading["cache"] {
  const { anchor, lastUsage } = view;
  if (!rules.caches || !anchor || !lastUsage)
    return { state: "none", expiresAtMs: null, tokens: 0 };
  const expiresAtMs = anchor.atMs + ttlMs[policy.cacheTtl];
  if (nowMs >= expiresAtMs) return { state: "cold", expiresAtMs: null, tokens: 0 };
  const sent = usedBy(lastUsage) - lastUsage.output;
  const tokens = Math.min(sent, anchor.changed?.tokensBefore ?? sent);
  return {
    state: "hot",
    expiresAtMs,
    tokens: tokens < rules.cacheMinimumTokens ? 0 : Math.round(tokens),
  };
}
