import type { ModelError } from "../model/model-error.ts";

/** Tries of one call before the agent gives up and says so. */
export const maxAttempts = 8;

/**
 * How long to wait before try `attempt` + 1, in milliseconds: what the server asked for, else
 * 1, 2, 4 ... 32 seconds, less up to a quarter so that many clients do not come back at once.
 */
export function retryDelayMs(attempt: number, error: ModelError, random: number): number {
  if (error.retryAfterMs !== undefined) return Math.min(error.retryAfterMs, 10 * 60_000);
  return Math.round(Math.min(1000 * 2 ** (attempt - 1), 32_000) * (1 - random / 4));
}
