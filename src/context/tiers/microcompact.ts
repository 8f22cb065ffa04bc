import type { Policy } from "../../protocol/policy.ts";
import { ttlMs } from "../../protocol/model.ts";
import { replaceWhole } from "../clear.ts";
import { cuttableResults } from "../protect.ts";
import type { Plan, Signals, View } from "../types.ts";

/** Tier 3: the prompt cache has gone cold, so that clearing all older results costs nothing. */
export function microcompact(view: View, now: Signals, policy: Policy): Plan | null {
  const { idleMs } = now.reading;
  if (now.moment !== "turnStart" || idleMs === null || idleMs <= ttlMs[policy.cacheTtl])
    return null;
  const changes = replaceWhole(view, cuttableResults(view, policy.keepResults), "cleared");
  if (changes.length === 0) return null;
  const minutes = Math.round(idleMs / 60_000);
  const reason = `${minutes} minutes idle, the cache is cold: all but the newest ${policy.keepResults} results`;
  return { tier: "microcompact", reason, changes, price: now.priceOf(changes) };
}
