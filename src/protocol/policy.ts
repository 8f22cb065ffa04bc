/** The numbers that govern compaction. Every one is a setting. */

import type { CacheTtl } from "./model.ts";

export type Policy = {
  /** "economy": prices decide when tiers cut; "thresholds": each tier cuts at its share of the window. */
  policy: "thresholds" | "economy";
  /** How much memory the default policy gives up for a lower cost. */
  balance: "keep" | "balanced" | "save";
  autoCompact: "on" | "ask" | "off";
  /** "off": only what the window forces. */
  compaction: "on" | "off";
  /** Who writes summaries: the client by a call of its own, or the server within the next one. */
  engine: "client" | "server" | "auto";
  /** The user reviews each summary before it is used. */
  confirmSummary: boolean;
  /** Kept free of the window for the answer, in tokens. */
  reserveTokens: number;
  /** Newest tool results, never cut. */
  keepResults: number;
  /** Searches of one kind that are kept when older ones are snipped. */
  keepSearches: number;
  /** A larger result is written to a file; the model sees its path and a preview. */
  persistBytes: number;
  previewLines: number;
  previewChars: number;
  /** A longer result keeps its head and tail. */
  resultChars: number;
  /** Shares of the effective window (window - reserve) above which a tier cuts. */
  budgetAt: number;
  budgetTightAt: number;
  snipAt: number;
  summaryAt: number;
  /** Length of an older result above `budgetAt`, and above `budgetTightAt`. */
  budgetChars: number;
  budgetTightChars: number;
  cacheTtl: CacheTtl;
  /** While a tool runs, the prompt cache is kept alive for at most so long; 0: never. */
  keepCacheMinutes: number;
  summary: {
    outputTokens: number;
    /** The user's messages, verbatim beside the summary. */
    userTokens: number;
    /** Active files shown beside the summary: how many, the tokens of each and of all. */
    files: number;
    fileTokens: number;
    filesTokens: number;
    /** Newest turns that are kept verbatim, unless they are nearly everything. */
    keepTurns: number;
    /** Failed summaries in a row after which none is attempted automatically. */
    failuresToBreaker: number;
  };
};

export const defaultPolicy: Policy = {
  policy: "economy",
  balance: "balanced",
  autoCompact: "on",
  compaction: "on",
  engine: "auto",
  confirmSummary: false,
  reserveTokens: 20_000,
  keepResults: 3,
  keepSearches: 3,
  persistBytes: 30 * 1024,
  previewLines: 200,
  previewChars: 8_000,
  resultChars: 50_000,
  budgetAt: 0.5,
  budgetTightAt: 0.7,
  snipAt: 0.6,
  summaryAt: 0.85,
  budgetChars: 30_000,
  budgetTightChars: 15_000,
  cacheTtl: "5m",
  keepCacheMinutes: 30,
  summary: {
    outputTokens: 8_000,
    userTokens: 20_000,
    files: 8,
    fileTokens: 8_000,
    filesTokens: 30_000,
    keepTurns: 1,
    failuresToBreaker: 3,
  },
};
