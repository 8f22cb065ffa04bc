import type { MeterReading, View } from "./types.ts";

/** Change of the context, as a share of the window, after which a summary is proposed again. */
const proposeAgainShare = 0.05;

/** Whether the latest summary was declined or undone, and the context is still about the same. */
export const wasJustDeclined = (
  { declinedAt }: View,
  { usedTokens, effectiveTokens }: MeterReading,
): boolean =>
  declinedAt !== null && Math.abs(usedTokens - declinedAt) < proposeAgainShare * effectiveTokens;

/** The size in tokens at which it is proposed again. */
export const proposedAgainAt = (declinedAt: number, { effectiveTokens }: MeterReading): number =>
  declinedAt + proposeAgainShare * effectiveTokens;
