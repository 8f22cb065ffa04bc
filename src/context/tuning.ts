/** The numbers that the balance of memory against cost sets, beyond those of the policy itself. */

import type { Policy } from "../protocol/policy.ts";

/** Calls, by the size of a text. */
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
  /** Share of the window that a cut must free while the cache is hot, so that the next turns need none. */
  hotShare: number;
  /** Snipping also drops the output of shell commands beyond the newest. */
  snipsCommands: boolean;
  /** Newest calls whose results stay in a cold cache, too. */
  clearAfter: number;
  /** A cold cache also clears long inputs, and keeps what is probably needed. */
  clearsInputs: boolean;
  protects: boolean;
  /** Calls after which the newest read of a file is not needed any more, since the file was last used. */
  editedFiles: CallsBySize;
  readFiles: CallsBySize;
  /** The same for the full text of a file beside a summary. */
  editedBesideSummary: CallsBySize;
  readBesideSummary: CallsBySize;
  /** The same for the text that a call wrote. */
  writtenTexts: CallsBySize;
};

const balanced: Tuning = {
  earlySummary: null,
  hotShare: 0.2,
  snipsCommands: false,
  clearAfter: 6,
  clearsInputs: true,
  protects: true,
  editedFiles: { short: 400, medium: 40, long: 10 },
  readFiles: { short: 20, medium: 10, long: 10 },
  editedBesideSummary: { short: 160, medium: 80, long: 80 },
  readBesideSummary: { short: 80, medium: 80, long: 80 },
  writtenTexts: { short: 240, medium: 120, long: 60 },
};

const keep: Tuning = {
  ...balanced,
  hotShare: 0.25,
  clearAfter: 40,
  editedFiles: { short: 400, medium: 200, long: 100 },
  readFiles: { short: 200, medium: 100, long: 50 },
};

const save: Tuning = {
  ...balanced,
  earlySummary: { minShare: 0.2, maxTokens: 65_000, minCalls: 40, minFreed: 0.5 },
  hotShare: 0.1,
  clearAfter: 3,
  editedFiles: { short: 160, medium: 20, long: 10 },
  readFiles: { short: 40, medium: 20, long: 10 },
};

/** The bare table: every tier at its threshold, whatever the cache holds. */
const thresholds: Tuning = {
  ...balanced,
  hotShare: 0,
  snipsCommands: true,
  clearAfter: 0,
  clearsInputs: false,
  protects: false,
};

const byBalance: Record<Policy["balance"], Tuning> = { keep, balanced, save };

export const chooseTuning = ({ policy, balance }: Pick<Policy, "policy" | "balance">): Tuning =>
  policy === "thresholds" ? thresholds : byBalance[balance];

/** Limits in characters: of results, and of the texts that calls write. */
const resultSizes = { short: 4_000, medium: 10_000 };
const writtenSizes = { short: 1_600, medium: 4_000 };

const bySize =
  (sizes: { short: number; medium: number }) =>
  (chars: number, calls: CallsBySize): number =>
    chars <= sizes.short ? calls.short : chars <= sizes.medium ? calls.medium : calls.long;

export const callsFor = bySize(resultSizes);
export const callsForWritten = bySize(writtenSizes);
