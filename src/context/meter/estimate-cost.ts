/** The price of a prompt before it is sent, from the meter and the cache prices. */

import type { Entry } from "../../protocol/entry.ts";
import { callCost, ttlMs, usedBy, type ModelRules, type Prices } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import { headTtl, measure } from "./meter.ts";
import type { MeterReading } from "../types.ts";
import { Projection } from "../view/view.ts";

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

/**
 * The estimated prompt cost of each answer, as of when it was sent and at its model's prices: a
 * function that is given the entries of a path in turn and returns US dollars, or null for an entry
 * that does not answer a billed prompt.
 */
export function costEstimates(
  rules: ModelRules,
  policy: Policy,
  billedPrices: (model: string) => Prices,
): (entry: Entry) => number | null {
  const projection = new Projection();
  const { view } = projection;
  const estimate = (entry: Entry): number | null => {
    if (entry.type !== "assistant" || entry.stop === "failed" || usedBy(entry.usage) === 0)
      return null;
    const reading = measure(view, rules, policy, Date.parse(entry.sentAt) || 0);
    return estimatePrompt(reading, { ...rules, prices: billedPrices(view.model) }, policy);
  };
  return (entry) => {
    const usd = estimate(entry);
    projection.push(entry);
    return usd;
  };
}
