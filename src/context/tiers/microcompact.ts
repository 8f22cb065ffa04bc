import type { Policy } from "../../protocol/policy.ts";
import { ttlMs } from "../../protocol/model.ts";
import { replaceWhole } from "../clear.ts";
import { counted } from "../../protocol/in-words.ts";
import { cuttableResults } from "../protect.ts";
import type { Plan, Signals, View } from "../types.ts";

/** Tier 3: the prompt cache is cold, so clearing all older results costs nothing. */
export function microcompact(view: View, now: Signals, policy: Policy): Plan | null {
  const { idleMs } = now.reading;
  if (now.moment !== "turnStart" || idleMs === null || idleMs <= ttlMs[policy.cacheTtl])
    return null;
  const changes = replaceWhole(view, cuttableResults(view, policy.keepResults), "cleared");
  if (changes.length === 0) return null;
  const action = `clear ${counted(changes.length, "old result")}`;
  const reason = `${action}: idle for ${Math.round(idleMs / 60_000)} minutes, the cache is cold`;
  return { tier: "microcompact", action, reason, changes, price: now.priceOf(changes) };
}
