/** The numbers that govern compaction. Every one is a setting. */

import { z } from "zod";

const whole = z.number().int().min(0);
const positive = z.number().int().min(1);
const share = z.number().min(0.05).max(1);

export const policySchema = z.strictObject({
  /** "economy": prices decide when tiers cut; "thresholds": each tier cuts at its share of the window. */
  policy: z.enum(["thresholds", "economy"]),
  /** How much memory the default policy gives up for a lower cost. */
  balance: z.enum(["keep", "balanced", "save"]),
  autoCompact: z.enum(["on", "ask", "off"]),
  /** "off": only what the window forces. */
  compaction: z.enum(["on", "off"]),
  /** Who writes summaries: the client by a call of its own, or the server within the next one. */
  engine: z.enum(["client", "server", "auto"]),
  /** The user reviews each summary before it is used. */
  confirmSummary: z.boolean(),
  /** Kept free of the window for the answer, in tokens. */
  reserveTokens: whole,
  /** Newest tool results, never cut. */
  keepResults: positive,
  /** Searches of one kind that are kept when older ones are snipped. */
  keepSearches: positive,
  /** A larger result is written to a file; the model sees its path and a preview. */
  persistBytes: positive,
  previewLines: positive,
  previewChars: positive,
  /** A longer result keeps its head and tail. */
  resultChars: positive,
  /** Shares of the effective window (window - reserve) above which a tier cuts. */
  budgetAt: share,
  budgetTightAt: share,
  snipAt: share,
  summaryAt: share,
  /** Length of an older result above `budgetAt`, and above `budgetTightAt`. */
  budgetChars: positive,
  budgetTightChars: positive,
  cacheTtl: z.enum(["5m", "1h"]),
  /** While a tool runs, the prompt cache is kept alive for at most this many minutes; 0: never. */
  keepCacheMinutes: whole,
  summary: z.strictObject({
    outputTokens: positive,
    /** The user's messages, verbatim beside the summary. */
    userTokens: whole,
    /** Active files shown beside the summary: how many, the tokens of each and of all. */
    files: whole,
    fileTokens: whole,
    filesTokens: whole,
    /** Newest turns that are kept verbatim, unless they are nearly everything. */
    keepTurns: positive,
    /** Failed summaries in a row after which none is attempted automatically. */
    failuresToBreaker: positive,
  }),
});

export type Policy = z.infer<typeof policySchema>;

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
