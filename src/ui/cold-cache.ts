/** The notice that the prompt cache has expired, once for each pause. */

import { type ColdCache, findColdCache } from "../context/cold-cache.ts";
import type { Host } from "./host.ts";
import { betweenFrames } from "./memo.ts";
import { showAge, showUsd } from "./transcript/format.ts";

function coldCacheText(found: ColdCache, idleMs: number, key: string): string {
  const { action, isAutomatic, isEstimate } = found;
  const asIs = showUsd(found.asIsUsd, isEstimate);
  const cleared = showUsd(found.clearedUsd, isEstimate);
  const cold = `The cache expired after ${showAge(idleMs)}.`;
  return isAutomatic
    ? `${cold} The next message will ${action} and cost ${cleared} instead of ${asIs}. ${key} compacts now, Esc hides this.`
    : `${cold} The next message costs ${asIs}, or ${cleared} if you ${action} first. ${key} clears or summarizes, Esc hides this.`;
}

/**
 * After a pause the prompt cache has expired, and the next message pays for the full prompt again. Says
 * so once, with the savings of clearing stale results first.
 */
export function coldCacheNotice(host: Host) {
  const found = betweenFrames<ColdCache | null>(host);
  /** Time of the last call for which it was answered, in milliseconds since the epoch. */
  let answeredForMs: number | null = null;

  return {
    get text(): string | null {
      const { state, view, reading, rules, policy, keys } = host;
      const { anchor, version } = view;
      if (state.phase !== "idle" || reading.cache.state !== "cold") return null;
      if (policy.compaction === "off" || anchor?.atMs === answeredForMs) return null;
      const cold = found.get([view, version, rules], () =>
        findColdCache(view, reading, rules, policy),
      );
      return cold && coldCacheText(cold, reading.idleMs ?? 0, keys.describeKey("compact"));
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
