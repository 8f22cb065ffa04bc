/**
 * After a pause the prompt cache has expired, and the next message pays for the full prompt again. Says
 * so once, with the savings of clearing stale results first.
 */

import { counted } from "../../base/in-words.ts";
import { estimatePrompt } from "../../context/estimate-cost.ts";
import { clearPlan, nextPlan } from "../../context/ladder.ts";
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
  results: number;
  /** The policy clears them when the next message is sent. */
  isAutomatic: boolean;
};

/** Smaller savings are not worth a line. */
const least = { share: 0.1, usd: 0.01 };

/** null if the cache is not cold, or clearing would save little. */
export function coldCacheOf(
  view: View,
  reading: MeterReading,
  rules: ModelRules,
  policy: Policy,
): ColdCache | null {
  if (reading.cache.state !== "cold") return null;
  const automatic = nextPlan("turnStart", { view, reading, policy, rules });
  const isAutomatic = automatic !== null && "changes" in automatic;
  const plan = isAutomatic ? automatic : clearPlan({ view, reading, policy, rules });
  if (!plan || !("changes" in plan)) return null;
  const asIsUsd = estimatePrompt(reading, rules, policy);
  const cleared = { ...reading, usedTokens: plan.price.usedAfter };
  const clearedUsd = estimatePrompt(cleared, rules, policy);
  if (asIsUsd - clearedUsd < Math.max(least.usd, asIsUsd * least.share)) return null;
  const results = plan.changes.filter(({ kind }) => kind === "replace").length;
  return { asIsUsd, clearedUsd, results, isAutomatic };
}

export function coldCacheText(found: ColdCache, idleMs: number, key: string): string {
  const { asIsUsd, clearedUsd, results, isAutomatic } = found;
  const stale = counted(results, "old result");
  const cold = `The cache expired after ${showAge(idleMs)}.`;
  return isAutomatic
    ? `${cold} The next message clears ${stale} and costs ${showUsd(clearedUsd)} instead of ${showUsd(asIsUsd)}. ${key} compacts now, Esc hides this.`
    : `${cold} The next message costs ${showUsd(asIsUsd)}, or ${showUsd(clearedUsd)} without ${stale}. ${key} clears them or summarizes, Esc hides this.`;
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
        coldCacheOf(view, reading, rules, options.policy),
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
