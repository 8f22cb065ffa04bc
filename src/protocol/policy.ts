/** The numbers that govern compaction. Every one is a setting. */

import { z } from "zod";
import { defaultValues, isOn, settingGroup, type SettingValues } from "./setting.ts";

const whole = z.number().int().min(0);
const positive = z.number().int().min(1);
/** Of the effective window: the window without the reserve. */
const share = z.number().min(0.05).max(1);

const isTokens = (value: number): boolean => Number.isInteger(value) && value >= 1_000;
const shareOrTokens = z
  .number()
  .refine((value) => share.safeParse(value).success || isTokens(value), {
    error: "must be a share from 0.05 to 1, or a number of tokens from 1000",
  });

const context = settingGroup("context");
const summaries = settingGroup("summaries");

/** A text that is no number stays, so that the message names it. */
const percentOf = (text: string): unknown =>
  Number.isFinite(Number(text)) && text.trim() !== "" ? Number(text) / 100 : text;

const offWhen = (text: string): string | undefined => (isOn(text) ? "off" : undefined);

export const policyTable = {
  balance: context(
    z.enum(["keep", "balanced", "save"]),
    "balanced",
    "Keep more context, or spend less; save also summarizes at 65,000 tokens.",
  ),
  autoCompact: context(
    z.enum(["on", "ask", "off"]),
    "on",
    "Summarize automatically when the window fills: on, ask first, or off.",
    { DISABLE_AUTO_COMPACT: offWhen },
  ),
  compaction: context(
    z.enum(["on", "off"]),
    "on",
    "Compaction: off removes only content that no longer fits.",
    { DISABLE_COMPACT: offWhen },
  ),
  reserveTokens: context(
    whole,
    20_000,
    "Tokens kept free for the answer; at most an eighth of the window.",
  ),
  minFreed: context(
    z.number().min(0).max(1),
    0.05,
    "Smallest share of the window that a cut frees while the prompt cache is hot; 0: every cut is made at its mark.",
  ),
  keepResults: context(positive, 3, "Newest tool results that are never cut."),
  keepCalls: context(
    whole,
    3,
    "Newest calls whose results stay when the prompt cache is cold; 0: only the newest results.",
  ),
  keepFileCalls: context(
    whole,
    10,
    "Calls for which the newest read of an edited file is kept, in a window of 200,000 tokens; larger windows keep it longer. 0: cleared like any result.",
  ),
  keepSearches: context(positive, 3, "Newest searches of each kind that are never dropped."),
  persistBytes: context(
    positive,
    30 * 1024,
    "Larger results, in bytes, are saved to a file; the model sees a preview.",
  ),
  previewLines: context(positive, 200, "Preview length, in lines."),
  previewChars: context(positive, 30_000, "Preview length, in characters."),
  budgetAt: context(
    share,
    0.5,
    "Share of the window above which large results are trimmed to head and tail.",
  ),
  budgetTightAt: context(
    share,
    0.7,
    "Share of the window above which results are trimmed further.",
  ),
  snipAt: context(
    share,
    0.6,
    "Share of the window above which stale reads and searches are dropped.",
  ),
  summaryAt: context(
    shareOrTokens,
    0.85,
    "Share of the window, or number of tokens, above which the conversation is summarized.",
    { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: (text) => percentOf(text) },
  ),
  budgetChars: context(positive, 8_000, "Characters that a trimmed result keeps."),
  budgetTightChars: context(
    positive,
    4_000,
    "Characters that a trimmed result keeps when the window is tight.",
  ),
  cacheTtl: context(
    z.enum(["5m", "1h"]),
    "5m",
    "Lifetime of the prompt cache: 5 minutes, or an hour at twice the input price.",
  ),
  engine: summaries(
    z.enum(["client", "server", "auto"]),
    "auto",
    "Who writes summaries: client, server, or auto (the server if it can).",
  ),
  confirmSummary: summaries(z.boolean(), false, "Review each summary before it takes effect."),
  summary: {
    model: summaries(
      z.string().min(1).optional(),
      undefined,
      "Model that writes summaries, such as haiku; default: the session's own.",
    ),
    keepTurns: summaries(positive, 1, "Newest turns that a summary keeps verbatim."),
  },
};

export type Policy = SettingValues<typeof policyTable>;

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

export const defaultPolicy: Policy = defaultValues(policyTable);
