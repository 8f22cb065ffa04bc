/** Keeping the prompt cache alive while a tool runs: reading it costs a twelfth of writing it again. */

import type { ModelRules } from "../protocol/model.ts";
import type { Policy } from "../protocol/policy.ts";
import { measure } from "./meter.ts";
import type { View } from "./types.ts";

/** How long before it expires the cache is read again, in ms. */
const marginMs = 20_000;

/**
 * When to read the cache again during a wait that began at `sinceMs`, and until when that helps.
 * Null: not at all, because the cache is cold or the wait takes too long to pay.
 */
export function nextRefresh(
  view: View,
  rules: ModelRules,
  policy: Policy,
  nowMs: number,
  sinceMs: number,
): { dueMs: number; expiresAtMs: number } | null {
  const { tokens, expiresAtMs } = measure(view, rules, policy, nowMs).cache;
  if (expiresAtMs === null || tokens === 0) return null;
  const dueMs = expiresAtMs - marginMs;
  return dueMs <= sinceMs + policy.keepCacheMinutes * 60_000 ? { dueMs, expiresAtMs } : null;
}
