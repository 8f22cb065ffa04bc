import { sleep, type Clock } from "../protocol/clock.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { CallError } from "./stream-answer.ts";

type Attempt = { attempt: number; of: number; clock: Clock; signal: AbortSignal };

/** The same request may succeed later. */
const isRetryable = ({ kind }: CallError): boolean => kind === "busy" || kind === "stall";

/** Waits before the next attempt. Returns false when there should be none. */
export async function* waitToRetry(
  error: CallError,
  { attempt, of, clock, signal }: Attempt,
): AsyncGenerator<AgentEvent, boolean> {
  if (!isRetryable(error) || attempt >= of || signal.aborted) return false;
  const waitMs = retryDelayMs(attempt, error, clock.random());
  yield { type: "retry", attempt, of, waitMs, reason: error.message };
  await sleep(clock, waitMs, signal);
  return !signal.aborted;
}

/**
 * How long to wait after attempt `attempt`, in milliseconds: what the server asked for, else
 * 1, 2, 4 ... 32 seconds, less up to a quarter so that clients do not all return at once.
 */
export function retryDelayMs(
  attempt: number,
  { retryAfterMs }: Pick<CallError, "retryAfterMs">,
  random: number,
): number {
  if (retryAfterMs !== undefined) return Math.min(retryAfterMs, 10 * 60_000);
  return Math.round(Math.min(1000 * 2 ** (attempt - 1), 32_000) * (1 - random / 4));
}
