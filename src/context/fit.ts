/** Whether the next request fits, and what a cut frees. */

import type { Change, Span, TierName } from "../protocol/entry.ts";
import type { ModelRules } from "../protocol/model.ts";
import { priceOf } from "./meter/cache.ts";
import { rowTokens } from "./meter/meter.ts";
import { freshTokens } from "./span.ts";
import type { Plan, MeterReading, Signals, View } from "./types.ts";

const limited = new WeakMap<ModelRules, ModelRules>();

/**
 * The rules with the window that the server reported, if that is smaller. If the known window has
 * changed since, the server was restarted or the setting was changed, and the report no longer
 * applies.
 */
export function rulesFor({ reportedWindow }: Pick<View, "reportedWindow">, rules: ModelRules) {
  const { tokens = Infinity, known = null } = reportedWindow ?? {};
  const isOutdated = known !== null && known !== rules.windowTokens;
  if (isOutdated || tokens >= rules.windowTokens) return rules;
  const before = limited.get(rules);
  if (before?.windowTokens === tokens) return before;
  const outputTokens = Math.min(rules.outputTokens, tokens);
  const next: ModelRules = { ...rules, windowTokens: tokens, outputTokens };
  limited.set(rules, next);
  return next;
}

/** Room that an answer needs at least, in tokens. */
export const answerRoom = (rules: ModelRules): number =>
  Math.min(rules.outputTokens, Math.max(512, Math.min(8_192, Math.floor(rules.windowTokens / 8))));

/** Tokens by which the next request is too large; 0 or less: it fits. */
export const excess = (reading: MeterReading, rules: ModelRules): number =>
  reading.usedTokens +
  Math.min(reading.errorTokens, rules.windowTokens / 10) +
  answerRoom(rules) -
  rules.windowTokens;

/** A summary of less than this, in tokens, would hardly be shorter. */
const minSummarized = 1_000;

/** In a small window, shorter spans are worth a summary. */
export const isWorthSummary = ({ view, reading, rules }: Signals, span: Span): boolean =>
  freshTokens(view, span, rowTokens(view, rules)) >
  Math.min(minSummarized, reading.effectiveTokens / 20);

/** The cut that makes these changes. */
export const cutPlan = (
  now: Signals,
  tier: TierName,
  action: string,
  why: string,
  changes: Change[],
): Plan & { changes: Change[] } => {
  return { tier, action, reason: `${action}: ${why}`, changes, price: priceOf(now, changes) };
};

/** Tokens that a plan frees. */
export const freedBy = ({ price }: Plan): number => price.usedBefore - price.usedAfter;
