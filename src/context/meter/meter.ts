/** The one counter: the number that the meter shows is the number that triggers the tiers. */

import { ttlMs, usedBy, type CacheTtl, type ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { kinds, zeroByKind, type Kind } from "../view/char-count.ts";
import type { MeterReading, View } from "../types.ts";

/** Tokens that the API adds around a request, until a call has counted them. */
const framingTokens = 30;

/** Relative error of the tokens that were cut: their sum is known, but not each one. */
const cutError = 0.05;

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
    // Computed from the rounded size, so that triggers do not depend on finer differences.
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
    // A time to come: the clock was set back between two runs, so the call was not just now.
    idleMs: anchor ? Math.abs(nowMs - anchor.atMs) : null,
    cost: {
      session: view.bills.usd(rules.prices),
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
  if (!anchor || !lastUsage) return { state: "none", expiresAtMs: null, tokens: 0 };
  const expiresAtMs = rules.caches ? anchor.atMs + ttlMs[policy.cacheTtl] : null;
  // Another model has a cache of its own.
  const isOther = anchor.model !== view.model;
  // A call dated in the future was made while the clock was wrong, so its time is unknown.
  const isPast = anchor.atMs <= nowMs + ttlMs["5m"];
  if (isOther || (expiresAtMs !== null && (nowMs >= expiresAtMs || !isPast)))
    return { state: "cold", expiresAtMs: null, tokens: 0 };
  const sent = usedBy(lastUsage) - lastUsage.output;
  const tokens = Math.min(sent, anchor.changed?.tokensBefore ?? sent);
  const cached = tokens < rules.cacheMinimumTokens ? 0 : Math.round(tokens);
  return { state: "hot", expiresAtMs, tokens: cached };
}

/** How long system prompt and tools are cached: writing them for an hour pays at the first pause. */
export const headTtl: CacheTtl = "1h";
