/** The price of a change of the view and of undoing one, by the prices of the prompt cache. */

import { headTtl, measure, tokensOfText } from "./meter.ts";
import { excess } from "../rules/window.ts";
import { resultFrame } from "../view/char-count.ts";
import {
  cachedBefore,
  type RowRange,
  rowTokens,
  spanRange,
  spanRows,
  sumTokens,
} from "../view/rows.ts";
import { Projection } from "../view/view.ts";
import type { MeterReading, Plan, Row, Signals, View } from "../types.ts";
import type {
  Change,
  Entry,
  EntryId,
  EntryOf,
  Price,
  Span,
  TierName,
} from "../../protocol/entry.ts";
import { callCost, type ModelRules, type Prices, ttlMs, type Usage } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";

/** Where a change begins and how many tokens it frees. */
type Effect = { firstRow: number; freed: number };

/**
 * Price of changes. Everything after the first changed byte must be written to the cache again, at
 * 12.5 times the price of reading it, and every later call reads fewer tokens. `callUsd`: paid besides.
 */
export function priceChanges(now: Signals, changes: readonly Change[], callUsd = 0): Price {
  const { view, rules } = now;
  const effects = changes.flatMap((change) => findEffect(view, rules, change) ?? []);
  const spans = changes.flatMap((change) => (change.kind === "cover" ? [change.span] : []));
  // Thinking after the server's own block stays valid, if no pinned row is quoted between the two.
  const keepsThinking = changes.every(
    (change) => change.kind === "cover" && change.block && !holdsPin(view, change.span),
  );
  const all = keepsThinking ? effects : withThinking(now, effects, spans);
  return price(now, all, callUsd);
}

const holdsPin = (view: View, span: Span): boolean =>
  spanRows(view, span).some(({ pinned, shown }) => pinned && shown !== "covered");

/** Adds the thinking that every edit removes: all of it, or in an open loop what is older than the loop. */
function withThinking(
  { view, rules }: Signals,
  effects: readonly Effect[],
  spans: readonly Span[],
): readonly Effect[] {
  const { counted, uncounted } = view.tokenCounts;
  if (effects.length === 0 || (counted.thinking === 0 && uncounted.thinking === 0)) return effects;
  const ranges = spans.map((span) => spanRange(view, span));
  const tokens = rowTokens(view, rules);
  const until = view.midLoop ? view.loopStart : view.rows.length;
  const added = view.rows.slice(0, until).flatMap(({ chars, charsByKind }, row): Effect[] => {
    const isCovered = ranges.some(({ from, to }) => row >= from && row <= to);
    if (charsByKind.thinking === 0 || isCovered) return [];
    return [{ firstRow: row, freed: ((tokens[row] ?? 0) * charsByKind.thinking) / chars }];
  });
  return [...effects, ...added.filter(({ freed }) => freed > 0)];
}

/** The longest summary, in tokens. */
export const summaryOutputTokens = 8_000;

/** Cost of the call that writes a summary. A model other than the session's has nothing cached. */
export function callUsd({ reading, rules }: Signals, outputTokens: number): number {
  const { input, cacheRead, output } = (rules.summarizer ?? rules).prices;
  const isHot = reading.cache.state === "hot" && !rules.summarizer;
  const read = reading.usedTokens * (isHot ? cacheRead : input);
  return (read + Math.min(outputTokens, summaryOutputTokens) * output) / 1e6;
}

/** Cost of an attempt's calls, in US dollars. */
export const attemptUsd = ({ usage, spent }: EntryOf<"attempt">, { prices }: ModelRules): number =>
  (usage ? callCost(usage, prices) : 0) + (spent?.usd ?? 0);

function price(
  { view, reading, policy, rules }: Signals,
  effects: readonly Effect[],
  callUsd: number,
): Price {
  const freed = effects.reduce((sum, effect) => sum + effect.freed, 0);
  const first = effects.reduce(
    (least, effect) => Math.min(least, effect.firstRow),
    view.rows.length,
  );
  const usedAfter = Math.max(0, Math.round(reading.usedTokens - freed));
  const after = sumTokens(view, rules, first);
  const kept = Math.min(reading.usedTokens - after, cachedBefore(view, first).tokens);
  const cachedBroken = Math.round(Math.max(0, reading.cache.tokens - kept));
  const write = writePrice(rules, policy);
  const rewritten = Math.max(0, Math.min(cachedBroken, usedAfter - kept));
  const usd = callUsd + (rewritten * (write - rules.prices.cacheRead)) / 1e6;
  return {
    usedBefore: reading.usedTokens,
    usedAfter,
    cachedBroken,
    usd,
    breakEvenCalls: callsToPayBack(usd, reading.usedTokens - usedAfter, rules.prices),
    ...(rules.prices.areEstimates && { isEstimate: true }),
  };
}

/** Price of prompt tokens that are not read from the cache; a server without marks writes them unasked. */
export function writePrice({ caches, prices }: ModelRules, { cacheTtl }: Policy): number {
  if (!caches) return prices.input;
  return cacheTtl === "1h" ? prices.cacheWrite1h : prices.cacheWrite5m;
}

/** Calls after which a cut has paid for itself, because each reads fewer tokens; null: never. */
export function callsToPayBack(usd: number, freed: number, { cacheRead }: Prices): number | null {
  if (usd <= 0) return 0;
  const savedPerCall = (freed * cacheRead) / 1e6;
  return savedPerCall > 0 ? Math.ceil(usd / savedPerCall) : null;
}

/** Whether a change makes the context smaller by a whole token or more. */
export const isSmaller = (view: View, rules: ModelRules, change: Change): boolean =>
  (findEffect(view, rules, change)?.freed ?? 0) >= 1;

/** Null: the change frees nothing. */
function findEffect(view: View, rules: ModelRules, change: Change): Effect | null {
  if (change.kind === "cover") {
    const range = spanRange(view, change.span);
    if (range.to < 0) return null;
    const chars = change.text.length + (change.kept ?? "").length;
    const after = tokensOfText(view, rules, "summary", chars);
    return { firstRow: range.from, freed: coveredTokens(view, rules, range) - after };
  }
  const firstRow = view.indexOf(change.entry);
  const row = firstRow === undefined ? undefined : view.rows[firstRow];
  if (firstRow === undefined || !row || row.shown === "covered") return null;
  const now = rowTokens(view, rules)[firstRow] ?? 0;
  if (change.kind === "replace") {
    const chars = change.text.length + (row.entry.type === "result" ? resultFrame : 0);
    return { firstRow, freed: now - tokensOfText(view, rules, "toolResults", chars) };
  }
  // An input that was shortened before has fewer characters left than the original.
  const before = Math.min(weighInput(row, change.toolUse), row.charsByKind.toolInputs);
  const after = JSON.stringify(change.input).length;
  return before > after ? { firstRow, freed: (now * (before - after)) / row.chars } : null;
}

/** Characters of one call's input. */
function weighInput({ entry }: Row, toolUse: string): number {
  if (entry.type !== "assistant") return 0;
  const call = entry.content.find((block) => block.type === "tool_use" && block.id === toolUse);
  return call?.type === "tool_use" ? JSON.stringify(call.input).length : 0;
}

/** Tokens that a cover of these rows replaces: everything that is not pinned. */
export const coveredTokens = (
  view: View,
  rules: ModelRules,
  { from, to }: Pick<RowRange, "from" | "to">,
): number =>
  sumTokens(view, rules, from, to + 1, ({ pinned, shown }) => !pinned || shown === "covered");

/**
 * US dollars for the next prompt, without its answer: cached tokens are read, the rest is written.
 * System prompt and tools may stay cached longer than the messages.
 */
export function estimatePrompt(
  { usedTokens, cache, breakdown, idleMs }: CacheReading,
  { prices, caches }: Pick<ModelRules, "prices" | "caches">,
  policy: Pick<Policy, "cacheTtl">,
): number {
  const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  if (!caches) {
    const read = Math.min(usedTokens, cache.tokens);
    return callCost({ ...none, input: usedTokens - read, cacheRead: read }, prices);
  }
  const head = Math.min(usedTokens, breakdown.system + breakdown.tools);
  const headLives = idleMs !== null && idleMs < ttlMs[headTtl];
  const held = cache.state === "hot" ? cache.tokens : 0;
  const cacheRead = Math.min(usedTokens, Math.max(held, headLives ? head : 0));
  const cacheWrite = usedTokens - cacheRead;
  const cacheWrite1h = policy.cacheTtl === "1h" ? cacheWrite : Math.max(0, head - cacheRead);
  return callCost({ ...none, cacheRead, cacheWrite, cacheWrite1h }, prices);
}

type CacheReading = Pick<MeterReading, "usedTokens" | "cache" | "breakdown" | "idleMs">;

/** The cut that makes these changes. */
export const cutPlan = (
  now: Signals,
  tier: TierName,
  action: string,
  why: string,
  changes: Change[],
): Extract<Plan, { changes: unknown }> => ({
  tier,
  action,
  reason: `${action}: ${why}`,
  changes,
  price: priceChanges(now, changes),
});

/** Tokens that a plan frees. */
export const freedBy = ({ price }: Plan): number => price.usedBefore - price.usedAfter;

/** `entry`: the only one that is restored. `redo`: the undo is reversed. */
type RestoreTarget = { cut: EntryId; entry?: EntryId | undefined; redo?: boolean | undefined };

/**
 * `excessTokens`: tokens by which the next request would not fit; 0 or less: it fits. `isRejected`: the cut cannot
 * apply again.
 */
type RestoreEstimate = { price: Price; excessTokens: number; isRejected: boolean };

/** Projects the path with the restore appended, so the result is what the meter would show. */
export function priceRestore(
  path: readonly Entry[],
  { cut, entry, redo }: RestoreTarget,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
): RestoreEstimate {
  const projection = new Projection(path);
  const before = measure(projection.view, rules, policy, nowMs);
  const price = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
  const only = {
    ...(entry === undefined ? {} : { entry }),
    ...(redo ? { redo: true as const } : {}),
  };
  const id = "restored";
  projection.push({ id, parent: null, at: "", type: "restore", cut, ...only, price });
  const after = measure(projection.view, rules, policy, nowMs);
  const cachedBroken = Math.max(0, before.cache.tokens - after.cache.tokens);
  const { cacheRead } = rules.prices;
  const write = writePrice(rules, policy);
  const restoredTokens = Math.max(0, after.usedTokens - before.usedTokens);
  return {
    price: {
      usedBefore: before.usedTokens,
      usedAfter: after.usedTokens,
      cachedBroken,
      // Everything after the first change is written again, together with what is restored.
      usd: (cachedBroken * (write - cacheRead) + restoredTokens * write) / 1e6,
      breakEvenCalls: null,
    },
    excessTokens: excess(after, rules),
    isRejected: projection.view.rejected.some(({ cut: rejected }) => rejected === id),
  };
}

/** The tokens that the next call should read from the cache. */
type ExpectedReads = { tokens: number; usdPerToken: number; likely: string };

/** A smaller fall, as a share of what was expected, is how servers round. */
const noticeable = 0.05;
/** Shorter prefixes are not worth a line, in tokens. */
const minTokens = 4_096;

/** Asked before a call. Null: nothing can be said, or every loss is explained already. */
export function expectReads(now: Signals): ExpectedReads | null {
  const { view, reading, policy, rules } = now;
  const { cache, idleMs } = reading;
  const { lastUsage } = view;
  const reports = lastUsage !== null && lastUsage.cacheRead + lastUsage.cacheWrite > 0;
  if (cache.state !== "hot" || !reports || view.staleThinking || cache.tokens < minTokens)
    return null;
  const idle = idleMs ?? 0;
  const near = rules.caches ? 0.8 * ttlMs[policy.cacheTtl] : ttlMs["5m"];
  const likely =
    idle >= near
      ? `the last call was ${Math.round(idle / 60_000)} minutes ago, about as long as a cache lives`
      : "the server restarted, dropped it for other work, or another program changed the request";
  const usdPerToken = (writePrice(rules, policy) - rules.prices.cacheRead) / 1e6;
  return { tokens: cache.tokens, usdPerToken, likely };
}

/** A sentence for the user if the call read noticeably less; else null. */
export function describeLoss(expected: ExpectedReads | null, usage: Usage): string | null {
  if (!expected) return null;
  const { tokens, usdPerToken, likely } = expected;
  const lost = tokens - usage.cacheRead;
  if (lost <= tokens * noticeable) return null;
  const number = (count: number): string => Math.round(count).toLocaleString("en");
  const usd = lost * usdPerToken;
  // Where a price is known, less than a cent is not worth a line.
  if (usdPerToken > 0 && usd < 0.005) return null;
  const cost = usd >= 0.005 ? ` ($${usd.toFixed(2)})` : "";
  return `The prompt cache was lost: ${number(lost)} of ${number(tokens)} tokens were processed again${cost}. Likely ${likely}.`;
}
