/** The notice that the prompt cache has expired, once for each pause. */

import { type ColdCache, findColdCache } from "../context/forecast.ts";
import { estimatePrompt } from "../context/meter/cache.ts";
import { Memo } from "./memo.ts";
import { sanitizeLine } from "./sanitize.ts";
import type { Shared } from "./shared.ts";
import { shortTokens, showAge, showUsd } from "./transcript/format.ts";

function coldCacheText(found: ColdCache, idleMs: number, key: string): string {
  const { action, isAutomatic, isEstimate, largest } = found;
  const names = largest.map(({ name, tokens }) => `${sanitizeLine(name)} ${shortTokens(tokens)}`);
  const goes = names.length === 0 ? "" : ` (largest: ${names.join(", ")}; Alt-P keeps the first)`;
  const asIs = showUsd(found.asIsUsd, isEstimate);
  const cleared = showUsd(found.clearedUsd, isEstimate);
  const cold = `The cache expired after ${showAge(idleMs)}.`;
  return isAutomatic
    ? `${cold} The next message will ${action}${goes} and cost ${cleared} instead of ${asIs}. ${key} compacts now, Esc hides this.`
    : `${cold} The next message costs ${asIs}, or ${cleared} if you ${action} first. ${key} clears or summarizes, Esc hides this.`;
}

type Parts = Pick<Shared, "store" | "actions" | "settings" | "keys">;

/** The price above which the cost of a message is announced, in US dollars. */
const announcedUsd = 0.5;

/** Price notice for the next message; null if it is cheap. */
function priceText({ store, keys }: Parts): string | null {
  const { reading, rules, policy } = store;
  const usd = estimatePrompt(reading, rules, policy);
  if (usd <= announcedUsd) return null;
  const why = reading.cache.state === "cold" ? "the cache is cold" : "the context is large";
  const price = showUsd(usd, reading.cost.isEstimate);
  return `The next message costs about ${price}: ${why} · ${keys.describeKey("compact")} compacts first, Esc hides this.`;
}

/**
 * After a pause the prompt cache has expired, and the next message pays for the full prompt again. Shows one
 * notice per pause, with the savings of clearing old results first.
 */
export function coldCacheNotice(parts: Parts) {
  const { store, actions, keys } = parts;
  const found = new Memo<ColdCache | null>();
  /** Last call whose notice was dismissed, in milliseconds since the epoch. */
  let answeredForMs: number | null = null;

  /** Pins the largest result that the next message would clear. */
  function keepLargest(): boolean {
    const { view, reading, rules, policy } = store;
    const [first] = findColdCache(view, reading, rules, policy)?.largest ?? [];
    if (first) actions.send({ type: "pin", entry: first.entry, on: true });
    return first !== undefined;
  }

  return {
    get text(): string | null {
      const { state, view, reading, rules, policy } = store;
      const { anchor, version } = view;
      if (state.phase !== "idle" || anchor?.atMs === answeredForMs) return null;
      if (reading.cache.state !== "cold" || policy.compaction === "off") return priceText(parts);
      const cold = found.get([view, version, rules], () =>
        findColdCache(view, reading, rules, policy),
      );
      if (!cold) return priceText(parts);
      return coldCacheText(cold, reading.idleMs ?? 0, keys.describeKey("compact"));
    },
    press(chord: string): boolean {
      if ((chord !== "escape" && chord !== "alt+p") || this.text === null) return false;
      if (chord === "alt+p") return keepLargest();
      answeredForMs = store.view.anchor?.atMs ?? null;
      return true;
    },
  };
}
