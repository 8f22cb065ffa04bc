/**
 * After a pause the prompt cache has expired, and the next message pays for the full prompt again. Says
 * so once, with the savings of clearing stale results first.
 */

import { estimatePrompt } from "../../context/meter/estimate-cost.ts";
import { freedBy } from "../../context/meter/cache.ts";
import { forecast } from "../../context/forecast.ts";
import { clearPlan } from "../../context/ladder.ts";
import type { MeterReading, View } from "../../context/types.ts";
import type { ModelRules } from "../../protocol/model.ts";
import type { Policy } from "../../protocol/policy.ts";
import type { Host } from "../host.ts";
import { betweenFrames } from "../between-frames.ts";
import { showAge, showUsd } from "../transcript/format.ts";

type ColdCache = {
  /** Price of the next call's prompt in US dollars, without its answer. */
  asIsUsd: number;
  clearedUsd: number;
  /** The cut, as an imperative: "clear 3 old results". */
  action: string;
  /** The policy does so when the next message is sent. */
  isAutomatic: boolean;
};

/** Smaller savings are not worth a line. */
const least = { share: 0.1, usd: 0.01 };

/** null if the cache is not cold, or clearing would save little. */
export function findColdCache(
  view: View,
  reading: MeterReading,
  rules: ModelRules,
  policy: Policy,
): ColdCache | null {
  if (reading.cache.state !== "cold") return null;
  const nowMs = (view.anchor?.atMs ?? 0) + (reading.idleMs ?? 0);
  const { bySize: next } = forecast(view, rules, policy, nowMs);
  const isDue = next !== null && next.atTokens <= reading.usedTokens && next.tier !== "summary";
  const plan = isDue ? null : clearPlan({ view, reading, policy, rules });
  const frees = isDue ? next.freesTokens : plan ? freedBy(plan) : 0;
  const action = isDue ? next.action : plan?.action;
  if (action === undefined) return null;
  const asIsUsd = estimatePrompt(reading, rules, policy);
  const cleared = { ...reading, usedTokens: reading.usedTokens - frees };
  const clearedUsd = estimatePrompt(cleared, rules, policy);
  if (asIsUsd - clearedUsd < Math.max(least.usd, asIsUsd * least.share)) return null;
  return { asIsUsd, clearedUsd, action, isAutomatic: isDue };
}

export function coldCacheText(found: ColdCache, idleMs: number, key: string): string {
  const { asIsUsd, clearedUsd, action, isAutomatic } = found;
  const cold = `The cache expired after ${showAge(idleMs)}.`;
  return isAutomatic
    ? `${cold} The next message will ${action} and cost ${showUsd(clearedUsd)} instead of ${showUsd(asIsUsd)}. ${key} compacts now, Esc hides this.`
    : `${cold} The next message costs ${showUsd(asIsUsd)}, or ${showUsd(clearedUsd)} if you ${action} first. ${key} clears or summarizes, Esc hides this.`;
}

/** Offers to clear stale results once after each pause. */
export function coldCacheNotice(host: Host) {
  const found = betweenFrames<ColdCache | null>(host);
  /** Time of the last call for which it was answered, in milliseconds since the epoch. */
  let answeredForMs: number | null = null;

  return {
    /** null if there is nothing to offer. */
    get text(): string | null {
      const { state, view, reading, rules, options, keys } = host;
      const { anchor, version } = view;
      if (state.phase !== "idle" || reading.cache.state !== "cold") return null;
      if (options.policy.compaction === "off" || anchor?.atMs === answeredForMs) return null;
      const cold = found.get([view, version, rules], () =>
        findColdCache(view, reading, rules, options.policy),
      );
      return cold && coldCacheText(cold, reading.idleMs ?? 0, keys.nameOf("compact"));
    },
    postpone: found.postpone,
    stop: found.stop,
    press(chord: string): boolean {
      if (chord !== "escape" || this.text === null) return false;
      answeredForMs = host.view.anchor?.atMs ?? null;
      return true;
    },
  };
}
