/** What a prompt will cost, said before it is sent: by the meter and the prices of the cache. */

import type { Entry, EntryId } from "../protocol/entry.ts";
import { costOf, usedBy, type ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { measure } from "./meter.ts";
import type { Reading } from "./types.ts";
import { Projection } from "./view.ts";

/** US dollars for the next prompt, without its answer: what the cache holds is read, the rest written. */
export function foretellPrompt(
  { usedTokens, cache }: Pick<Reading, "usedTokens" | "cache">,
  { prices, caches }: Pick<ModelRules, "prices" | "caches">,
  { cacheTtl }: Pick<Policy, "cacheTtl">,
): number {
  const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  if (!caches) return costOf({ ...none, input: usedTokens }, prices);
  const cacheRead = cache.state === "hot" ? Math.min(cache.tokens, usedTokens) : 0;
  const cacheWrite = usedTokens - cacheRead;
  const cacheWrite1h = cacheTtl === "1h" ? cacheWrite : 0;
  return costOf({ ...none, cacheRead, cacheWrite, cacheWrite1h }, prices);
}

/** For each answer of a session what its prompt was expected to cost when it was sent. */
export function foretold(
  path: Iterable<Entry>,
  rules: ModelRules,
  policy: Policy,
): Map<EntryId, number> {
  const projection = new Projection();
  const usd = new Map<EntryId, number>();
  for (const entry of path) {
    if (entry.type === "assistant" && entry.stop !== "failed" && usedBy(entry.usage) > 0) {
      const reading = measure(projection.view, rules, policy, Date.parse(entry.sentAt) || 0);
      usd.set(entry.id, foretellPrompt(reading, rules, policy));
    }
    projection.push(entry);
  }
  return usd;
}
