/** Describes a cut as text, the same on the screen and on a session's page. */

import { counted, countedTurns } from "../base/format.ts";
import { tierSchema } from "../protocol/cut.ts";
import type { EntryId, EntryOf, TierName, Trigger } from "../protocol/entry.ts";

export const badges: Record<TierName, string> = {
  persist: "saved",
  budget: "trimmed",
  snip: "dropped",
  microcompact: "cleared",
  summary: "summarized",
  manual: "dropped",
};

/** The things that a tier changes, before its badge: "3 old results cleared". */
const things: Record<TierName, string> = {
  persist: "large result",
  budget: "large result",
  snip: "stale result",
  microcompact: "old result",
  summary: "result",
  manual: "item",
};

/** The badge of an entry that a cut changed: the cuts of a boundary are one, made by several tiers. */
export function chooseBadge({ tier, changes }: EntryOf<"cut">, entry: EntryId): string {
  const own = changes.find((change) => change.kind !== "cover" && change.entry === entry);
  return badges[(own && own.kind !== "cover" ? own.tier : undefined) ?? tier];
}

/** "2 turns summarized", or each tier's changes: "1 large result trimmed, 4 old results cleared". */
export function describeCut(cut: EntryOf<"cut">): string {
  if (cut.summary) {
    // Old logs do not say how many.
    const { turns, rules } = cut.summary;
    const what = `${turns === undefined ? "earlier turns" : countedTurns(turns)} summarized`;
    if (!rules || rules.all === 0) return what;
    return `${what}, ${rules.kept} of ${counted(rules.all, "rule")} kept`;
  }
  const inputs = cut.changes.filter(({ kind }) => kind === "input").length;
  const results = new Map<TierName, number>();
  for (const change of cut.changes) {
    if (change.kind === "input") continue;
    const tier = (change.kind === "replace" ? change.tier : undefined) ?? cut.tier;
    results.set(tier, (results.get(tier) ?? 0) + 1);
  }
  const parts = tierSchema.options.flatMap((tier) => {
    const count = results.get(tier) ?? 0;
    return count > 0 ? [`${counted(count, things[tier])} ${badges[tier]}`] : [];
  });
  if (inputs > 0) parts.push(`long inputs of ${counted(inputs, "call")} trimmed`);
  return parts.join(", ");
}

const triggers: Record<Trigger, string> = {
  auto: "automatic",
  idle: "cache expired",
  key: "by you",
  command: "by /compact",
  model: "by the model",
  "too-long": "prompt too long",
  inspector: "by you",
};

/** Why it was made: the reason of an automatic cut, or who asked for it. */
export function whyCut({ trigger, reason }: EntryOf<"cut">): string {
  const [, why] = trigger === "auto" || trigger === "idle" ? (/: (.+)/.exec(reason) ?? []) : [];
  return why ?? triggers[trigger];
}
