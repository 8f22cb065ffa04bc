/** The results of a policy on one session, and on many. */

import type { TierName } from "../../src/protocol/entry.ts";
import {
  addUsage,
  callCost,
  noUsage,
  choosePrices,
  type Prices,
  type Usage,
} from "../../src/protocol/model.ts";
import type { Moment, MeterReading } from "../../src/context/types.ts";

/** How many of all needs were met. */
type Share = { met: number; all: number };

export type Retained = Record<(typeof measures)[number], Share>;

/**
 * What was in view: needs of each kind; calls all of whose texts and names are; and, over all calls, the
 * user's standing instructions and messages so far.
 */
const measures = ["edits", "patches", "files", "words", "derivable", "rules", "messages"] as const;

type CutEvent = {
  call: number;
  tier: TierName;
  reason: string;
  moment: Moment;
  usedBefore: number;
  usedAfter: number;
  usd: number;
  cache: MeterReading["cache"]["state"];
};

/** The numbers that add up over sessions. */
const none = {
  calls: 0,
  /** US dollars: all calls, summaries and re-reads. */
  usd: 0,
  readUsd: 0,
  writeUsd: 0,
  outputUsd: 0,
  /** Of that: summaries, and files that had to be read again. */
  summaryUsd: 0,
  rereadUsd: 0,
  summaries: 0,
  /** Calls that had to read something again. */
  rereads: 0,
  /** Calls larger than the window. */
  unfit: 0,
};

export type ReplayResult = typeof none & {
  session: string;
  usage: Usage;
  kept: Retained;
  events: CutEvent[];
  /** Tokens of each call's request. */
  used: number[];
};

export const emptyResult = (session: string): ReplayResult => ({
  session,
  ...none,
  usage: noUsage,
  kept: {
    edits: noShare(),
    patches: noShare(),
    files: noShare(),
    words: noShare(),
    derivable: noShare(),
    rules: noShare(),
    messages: noShare(),
  },
  events: [],
  used: [],
});

const noShare = (): Share => ({ met: 0, all: 0 });

const isNumber = (key: string): key is keyof typeof none => Object.hasOwn(none, key);

/** Adds what one call was billed; long prompts have prices of their own. */
export function bill(outcome: ReplayResult, usage: Usage, prices: Prices): void {
  outcome.usage = addUsage(outcome.usage, usage);
  const usd = callCost(usage, prices);
  const list = choosePrices(usage, prices);
  const readUsd = (usage.cacheRead * list.cacheRead) / 1e6;
  const outputUsd = (usage.output * list.output) / 1e6;
  outcome.usd += usd;
  outcome.readUsd += readUsd;
  outcome.outputUsd += outputUsd;
  outcome.writeUsd += usd - readUsd - outputUsd;
}

/** Adds up one policy's results over many sessions. Events and sizes stay with the sessions. */
export function sumResults(outcomes: readonly ReplayResult[]): ReplayResult {
  const sum = emptyResult(`${outcomes.length} sessions`);
  for (const one of outcomes) {
    for (const key of Object.keys(none).filter(isNumber)) sum[key] += one[key];
    sum.usage = addUsage(sum.usage, one.usage);
    for (const key of measures) {
      sum.kept[key].met += one.kept[key].met;
      sum.kept[key].all += one.kept[key].all;
    }
  }
  return sum;
}

/** The calls that share each column of a chart: from one, up to another that is not included. */
export function splitColumns(calls: number, maxColumns: number): { from: number; to: number }[] {
  const count = Math.max(1, Math.min(maxColumns, calls));
  const callAt = (column: number): number => Math.floor((column * calls) / count);
  return Array.from({ length: count }, (_, column) => {
    const from = callAt(column);
    return { from, to: Math.max(from + 1, callAt(column + 1)) };
  });
}

/** Edits and hunks of patches together. */
export const sumChanges = ({ edits, patches }: Retained): Share => ({
  met: edits.met + patches.met,
  all: edits.all + patches.all,
});

export const toRatio = ({ met, all }: Share): number => (all === 0 ? 1 : met / all);

/** "97.5 %" */
export const toPercent = (share: Share): string => `${(toRatio(share) * 100).toFixed(1)} %`;
