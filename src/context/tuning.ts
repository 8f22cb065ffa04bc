/** The numbers of the default policy, by its balance of memory against cost. */

import type { Policy } from "../protocol/policy.ts";

/** Calls, by the size of a result. */
type CallsBySize = { short: number; medium: number; long: number };

export type Tuning = {
  /** When a summary may come before the window requires one; null: never. */
  earlySummary: {
    /** Not below this share of the window, or below `maxTokens` if that is less. */
    minShare: number;
    maxTokens: number;
    /** Calls since the last summary. */
    minCalls: number;
    /** Share of the conversation that it must free. */
    minFreed: number;
  } | null;
  /** Calls after which the newest read of a file may be cleared, since the file was last used. */
  editedFiles: CallsBySize;
  readFiles: CallsBySize;
  /** The same for the full text of a file beside a summary. */
  editedBesideSummary: CallsBySize;
  readBesideSummary: CallsBySize;
  /** Calls after which a large result may be trimmed, and any other result cleared. */
  trimAfter: number;
  clearAfter: number;
  /** Calls after which the text that a call wrote may be cleared, since the file was last used. */
  writtenTexts: CallsBySize;
  /** Tokens that a cut must free while the cache is hot. */
  minHotTokens: number;
  /** Calls over which a cut in a hot cache must pay for itself: as many as so far, within these. */
  payback: { min: number; max: number };
};

const balanced: Tuning = {
  earlySummary: { minShare: 0.5, maxTokens: 200_000, minCalls: 60, minFreed: 0.45 },
  editedFiles: { short: 400, medium: 40, long: 10 },
  readFiles: { short: 20, medium: 10, long: 10 },
  editedBesideSummary: { short: 160, medium: 80, long: 80 },
  readBesideSummary: { short: 80, medium: 80, long: 80 },
  trimAfter: 8,
  clearAfter: 12,
  writtenTexts: { short: 160, medium: 80, long: 40 },
  minHotTokens: 16_000,
  payback: { min: 20, max: 60 },
};

const keep: Tuning = {
  ...balanced,
  earlySummary: null,
  editedFiles: { short: 400, medium: 200, long: 100 },
  readFiles: { short: 200, medium: 100, long: 50 },
  clearAfter: 40,
  trimAfter: 10,
  minHotTokens: 40_000,
};

const save: Tuning = {
  ...balanced,
  earlySummary: { minShare: 0.2, maxTokens: 65_000, minCalls: 40, minFreed: 0.5 },
  editedFiles: { short: 160, medium: 20, long: 10 },
  readFiles: { short: 40, medium: 20, long: 10 },
  trimAfter: 3,
  clearAfter: 3,
};

const byBalance: Record<Policy["balance"], Tuning> = { keep, balanced, save };

export const tuningOf = ({ balance }: Pick<Policy, "balance">): Tuning => byBalance[balance];

/** Limits in characters: of results, and of the texts that calls write. */
const resultSizes = { short: 4_000, medium: 10_000 };
const writtenSizes = { short: 1_600, medium: 4_000 };

const bySize =
  (sizes: { short: number; medium: number }) =>
  (chars: number, calls: CallsBySize): number =>
    chars <= sizes.short ? calls.short : chars <= sizes.medium ? calls.medium : calls.long;

export const callsFor = bySize(resultSizes);
export const callsForWritten = bySize(writtenSizes);
