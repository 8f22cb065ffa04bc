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
  engine: "client" | "server" | "auto";
  confirmSummary: boolean;
  /** Kept free of the window for the answer, in tokens. */
  reserveTokens: number;
  /** Newest tool results, never cut. */
  keepResults: number;
  /** Searches of one kind that are kept when older ones are snipped. */
  keepSearches: number;
  persistBytes: number;
  previewLines: number;
  previewChars: number;
  resultChars: number;
  /** Shares of the effective window (window - reserve). */
  budgetAt: number;
  budgetTightAt: number;
  snipAt: number;
  summaryAt: number;
  budgetChars: number;
  budgetTightChars: number;
  cacheTtl: CacheTtl;
  summary: {
    outputTokens: number;
    userTokens: number;
    files: number;
    fileTokens: number;
    filesTokens: number;
    /** Newest turns that are kept verbatim, unless they are nearly everything. */
    keepTurns: number;
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
