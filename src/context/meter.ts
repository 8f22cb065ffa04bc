/** The one counter: what the meter shows is what fires the tiers. */

import { costOf, ttlMs, type ModelRules, type Usage } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import type { Kind, Reading, Row, View } from "./types.ts";
import type { Weight } from "./weigh.ts";

/** Tokens that the API adds around a request and each tool, which no text of ours holds. */
const framingTokens = 30;

/** Tokens that a row takes in the request now. */
export const tokensOf =
  (view: View, rules: ModelRules) =>
  (row: Row): number =>
    Math.ceil(view.calibration.tokens(row.weight, rules.charsPerToken));

/** Tokens that a row would take if it were shown whole. */
export const wholeTokensOf =
  (view: View, rules: ModelRules) =>
  (row: Row): number =>
    Math.ceil(view.calibration.tokens(row.wholeWeight, rules.charsPerToken));

/**
 * Reads the meter: what the server last counted, plus an estimate of what came after and minus what
 * was cut since. Costs the same however long the history is.
 */
export function measure(view: View, rules: ModelRules, policy: Policy, nowMs: number): Reading {
  const tokens = (weight: Weight): number => view.calibration.tokens(weight, rules.charsPerToken);
  const { anchor } = view;
  const estimate = tokens(view.total) + framingTokens;
  const since = anchor ? tokens(view.total) - tokens(anchor.weight) : estimate;
  const used = Math.max(0, Math.round(anchor ? anchor.usedTokens + since : estimate));
  const effective = effectiveWindow(rules, policy);
  return {
    usedTokens: used,
    errorTokens: Math.round(view.calibration.errorOf(anchor ? since : used)),
    windowTokens: rules.windowTokens,
    effectiveTokens: effective,
    utilisation: used / effective,
    leftTokens: effective - used,
    next: nextTier(used, effective, policy),
    breakdown: breakdown(view, rules, used),
    cache: cacheState(view, rules, policy, nowMs),
    idleMs: anchor ? Math.max(0, nowMs - anchor.atMs) : null,
    cost: {
      session: costOf(view.billed, rules.prices),
      lastCall: view.lastBill ? costOf(view.lastBill, rules.prices) : 0,
    },
  };
}

/**
 * What may be filled: the window less the reserve for the answer. A window so small that the reserve
 * would eat nearly all of it keeps a quarter.
 */
export function effectiveWindow(rules: ModelRules, policy: Policy): number {
  return Math.max(rules.windowTokens - policy.reserveTokens, Math.ceil(rules.windowTokens / 4), 1);
}

/** Tokens of everything that was billed by one call; for the price of a summary. */
export const priceOfUsage = (usage: Usage, rules: ModelRules): number =>
  costOf(usage, rules.prices);

function nextTier(used: number, effective: number, policy: Policy): Reading["next"] {
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

/** By kind, scaled so that the parts are the whole. */
function breakdown(view: View, rules: ModelRules, used: number): Record<Kind, number> {
  const { total, calibration } = view;
  const of = (kind: Kind): number => calibration.tokensOf(kind, total[kind], rules.charsPerToken);
  const parts: Record<Kind, number> = {
    system: of("system"),
    tools: of("tools"),
    instructions: of("instructions"),
    user: of("user") + total.imageTokens,
    assistant: of("assistant"),
    thinking: of("thinking"),
    toolInputs: of("toolInputs"),
    toolResults: of("toolResults"),
    summary: of("summary"),
  };
  const sum = Object.values(parts).reduce((a, b) => a + b, 0);
  const scale = sum > 0 ? used / sum : 0;
  for (const kind of kinds) parts[kind] = Math.round(parts[kind] * scale);
  return parts;
}

export const kinds = [
  "system",
  "tools",
  "instructions",
  "user",
  "assistant",
  "thinking",
  "toolInputs",
  "toolResults",
  "summary",
] as const satisfies readonly Kind[];

/** Hot while the server still keeps what the last call put there. */
function cacheState(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): Reading["cache"] {
  const { anchor, calibration } = view;
  if (!rules.caches || !anchor) return { state: "none", expiresAtMs: null, tokens: 0 };
  const expiresAtMs = anchor.atMs + ttlMs[policy.cacheTtl];
  if (nowMs >= expiresAtMs) return { state: "cold", expiresAtMs: null, tokens: 0 };
  const kept = anchor.unchanged;
  const tokens =
    kept === null
      ? anchor.usedTokens
      : Math.min(anchor.usedTokens, calibration.tokens(kept, rules.charsPerToken));
  return {
    state: "hot",
    expiresAtMs,
    tokens: tokens < rules.cacheMinimumTokens ? 0 : Math.round(tokens),
  };
}
