/** A cache that the server should have read and did not: how much was lost, and the likely cause. */

import { ttlMs, type Usage } from "../../protocol/model.ts";
import { writePrice } from "./cache.ts";
import type { Signals } from "../types.ts";

/** What the next call should read from the cache. */
export type ExpectedReads = { tokens: number; usdPerToken: number; likely: string };

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
  const answered = view.rows.findLast(({ entry }) => entry.type === "assistant")?.entry;
  const isOther = answered?.type === "assistant" && answered.model !== view.model;
  const isDropped = view.staleThinking || isOther;
  if (cache.state !== "hot" || !reports || isDropped || cache.tokens < minTokens) return null;
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
  const cost = usd >= 0.005 ? ` ($${usd.toFixed(2)})` : "";
  return `The prompt cache was lost: ${number(lost)} of ${number(tokens)} tokens were processed again${cost}. Likely ${likely}.`;
}
