import { sleep, type Clock } from "../base/clock.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { CallError } from "./stream-answer.ts";

type Attempt = {
  attempt: number;
  of: number;
  clock: Clock;
  signal: AbortSignal;
  /** The server has answered before: if it cannot be reached now, it may be restarting. */
  hasAnswered: boolean;
};

/** A server that restarts is asked every 3 seconds for 30 seconds. */
const restartMs = 3_000;
const restartAttempts = 11;

/** A proxy that cuts every long answer cuts it at about the same place. */
const maxBreaks = 3;

/**
 * Counts the places at which answers to one call broke off, in characters. The third break at the
 * same place becomes an error that says so: another attempt would end there as well.
 */
export function nameSamePlace(error: CallError, breaks: number[], chars: number): CallError {
  const isBreak = isRetryable(error) && error.status === undefined && chars > 0;
  if (!isBreak) return error;
  breaks.push(chars);
  const last = breaks.slice(-maxBreaks);
  const isSame = last.length === maxBreaks && Math.max(...last) <= Math.min(...last) * 1.1;
  if (!isSame) return error;
  const message =
    `${error.message} The answer broke off ${maxBreaks} times at the same place, after about ` +
    `${chars} characters: something between here and the model may cut off long answers.`;
  return { kind: "invalid", message };
}

/** The same request may succeed later. */
const isRetryable = ({ kind }: CallError): boolean => kind === "busy" || kind === "stall";

/** Waits before the next attempt. Returns false when there should be none. */
export async function* waitToRetry(
  error: CallError,
  { attempt, of: usual, clock, signal, hasAnswered }: Attempt,
): AsyncGenerator<AgentEvent, boolean> {
  const restarts = error.kind === "unreachable" && hasAnswered;
  const of = restarts ? restartAttempts : usual;
  if (!(restarts || isRetryable(error)) || attempt >= of || signal.aborted) return false;
  const waitMs = restarts ? restartMs : retryDelayMs(attempt, error, clock.random());
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
