/** The numbers that govern compaction, each a setting: `docs/settings.md` says what each means. */

import { z } from "zod";

const whole = z.number().int().min(0);
const positive = z.number().int().min(1);
/** A share of the effective window (the window less the reserve). */
const share = z.number().min(0.05).max(1);

const isTokens = (value: number): boolean => Number.isInteger(value) && value >= 1_000;
const shareOrTokens = z
  .number()
  .refine((value) => share.safeParse(value).success || isTokens(value), {
    error: "must be a share from 0.05 to 1, or a number of tokens from 1000",
  });

export const policySchema = z.object({
  balance: z.enum(["keep", "balanced", "save"]).default("balanced"),
  autoCompact: z.enum(["on", "ask", "off"]).default("on"),
  compaction: z.enum(["on", "off"]).default("on"),
  reserveTokens: whole.default(20_000),
  minFreed: z.number().min(0).max(1).default(0.05),
  keepResults: positive.default(3),
  keepCalls: whole.default(3),
  keepFileCalls: whole.default(10),
  keepSearches: positive.default(3),
  persistBytes: positive.default(30 * 1024),
  previewLines: positive.default(200),
  previewChars: positive.default(30_000),
  budgetAt: share.default(0.5),
  budgetTightAt: share.default(0.7),
  snipAt: share.default(0.6),
  summaryAt: shareOrTokens.default(0.85),
  budgetChars: positive.default(8_000),
  budgetTightChars: positive.default(4_000),
  cacheTtl: z.enum(["5m", "1h"]).default("5m"),
  engine: z.enum(["client", "server", "auto"]).default("auto"),
  summary: z
    .object({ model: z.string().min(1).optional(), keepTurns: positive.default(1) })
    .prefault({}),
});

export type Policy = z.infer<typeof policySchema>;

export const defaultPolicy: Policy = policySchema.parse({});

const balanceFactors = { keep: 5, balanced: 1, save: 0.5 };

/** The window, in tokens, for which `keepFileCalls` is meant. */
const usualWindow = 200_000;

/** How long results and readings stay, in calls. In a window twice as large, readings stay 2.8 times as long. */
export function keptCalls({ balance, keepCalls, keepFileCalls }: KeptBy, windowTokens: number) {
  const factor = balanceFactors[balance];
  const larger = (windowTokens / usualWindow) ** 1.5;
  return { results: keepCalls * factor, files: keepFileCalls * factor * larger };
}

type KeptBy = Pick<Policy, "balance" | "keepCalls" | "keepFileCalls">;
