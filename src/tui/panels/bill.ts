/** What a session cost: in total, by kind of token, by call, by cut. Pure. */

import type { Entry, EntryId } from "../../protocol/entry.ts";
import { costOf, type Prices, type Usage } from "../../protocol/model.ts";

export type Charge = {
  entry: EntryId;
  /** A model's answer, or the summary that a cut was made with. */
  what: "call" | "summary";
  model: string;
  usage: Usage;
  usd: number;
  /** What its prompt was estimated to cost, and did cost; null without an estimate. */
  prompt: { estimatedUsd: number; billedUsd: number } | null;
};

export type Bill = {
  /** Oldest first. */
  charges: Charge[];
  usage: Usage;
  usd: number;
  /** Dollars by kind of token. */
  by: { input: number; cacheRead: number; cacheWrite: number; output: number };
  cuts: { made: number; freedTokens: number; brokenTokens: number };
};

const none: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 };

/** Every call at the current model's prices: a log holds none. */
export function billOf(
  path: Iterable<Entry>,
  prices: Prices,
  estimates: ReadonlyMap<EntryId, number> = new Map(),
): Bill {
  const charges: Charge[] = [];
  const cuts = { made: 0, freedTokens: 0, brokenTokens: 0 };
  let model = "";
  for (const entry of path) {
    if (entry.type === "session" || entry.type === "model") model = entry.model;
    if (entry.type === "assistant" && entry.stop !== "failed") {
      charges.push(charge(entry.id, "call", entry.model, entry.usage, prices));
    }
    if (entry.type !== "cut") continue;
    cuts.made++;
    cuts.freedTokens += entry.price.usedBefore - entry.price.usedAfter;
    cuts.brokenTokens += entry.price.cachedBroken;
    const usage = entry.summary?.usage;
    if (usage) charges.push(charge(entry.id, "summary", model, usage, prices));
  }
  const usage = charges.reduce((sum, one) => add(sum, one.usage), none);
  return {
    charges: charges.map((one) => ({ ...one, prompt: promptOf(one, prices, estimates) })),
    usage,
    usd: charges.reduce((sum, one) => sum + one.usd, 0),
    by: {
      input: sumOf(charges, prices, ({ input }) => ({ input })),
      cacheRead: sumOf(charges, prices, ({ cacheRead }) => ({ cacheRead })),
      cacheWrite: sumOf(charges, prices, ({ cacheWrite, cacheWrite1h = 0 }) => ({
        cacheWrite,
        cacheWrite1h,
      })),
      output: sumOf(charges, prices, ({ output }) => ({ output })),
    },
    cuts,
  };
}

const charge = (
  entry: EntryId,
  what: Charge["what"],
  model: string,
  usage: Usage,
  prices: Prices,
): Charge => ({ entry, what, model, usage, usd: costOf(usage, prices), prompt: null });

function promptOf(
  { entry, what, usage }: Charge,
  prices: Prices,
  estimates: ReadonlyMap<EntryId, number>,
): Charge["prompt"] {
  const estimatedUsd = what === "call" ? estimates.get(entry) : undefined;
  if (estimatedUsd === undefined) return null;
  return { estimatedUsd, billedUsd: costOf({ ...usage, output: 0 }, prices) };
}

/** Dollars of one kind of token. The length of the prompt decides which price list applies. */
function sumOf(
  charges: readonly Charge[],
  prices: Prices,
  part: (usage: Usage) => Partial<Usage>,
): number {
  const { beyond } = prices;
  return charges.reduce((sum, { usage }) => {
    const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
    const list = beyond && prompt > beyond.promptTokens ? beyond : prices;
    return sum + costOf({ ...none, ...part(usage) }, list);
  }, 0);
}

const add = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  cacheWrite1h: (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0),
  output: a.output + b.output,
});
