/** Refreshes the prompt cache before it expires while tools run. */

import type { MeterReading } from "../context/types.ts";
import { isoTime, sleep } from "../base/clock.ts";
import type { Events } from "../protocol/event.ts";
import type { ModelRequest } from "../protocol/model.ts";
import { merge } from "../base/async-queue.ts";
import { isModelError } from "./call.ts";
import type { AgentContext } from "./options.ts";

/**
 * Passes on what `work` yields and returns. Until it ends, keeps the cache of the last request alive, and
 * records a summary that becomes ready.
 */
export async function* keepingCache<R>(
  context: AgentContext,
  signal: AbortSignal,
  request: ModelRequest,
  work: Events<R | null>,
): Events<R | null> {
  const done = new AbortController();
  const ended = AbortSignal.any([signal, done.signal]);
  const working = async function* (): Events<R | null> {
    try {
      return yield* work;
    } finally {
      done.abort();
    }
  };
  const beside = async function* (work: Events): Events<null> {
    yield* work;
    return null;
  };
  const [result = null] = yield* merge([
    working(),
    beside(keepAlive(context, signal, request, ended)),
    beside(context.boundaries.recordWhenReady(ended)),
  ]);
  return result;
}

/** A longer wait costs more than writing the cache again saves, in milliseconds. */
export const keptAliveMs = 15 * 60_000;

/** How long before the cache expires it is read again, in milliseconds. */
const marginMs = 20_000;

/** When to read the cache again; null: nothing is cached, or it lives beyond `lastMs`. */
export function nextRefresh({ tokens, expiresAtMs }: MeterReading["cache"], lastMs: number) {
  if (expiresAtMs === null || tokens === 0) return null;
  const dueMs = expiresAtMs - marginMs;
  return dueMs <= lastMs ? { dueMs, expiresAtMs } : null;
}

/**
 * Refreshes until `ended`, or for 15 minutes. Stops after a failure: the next call then
 * writes the cache again. A refresh that is on its way at the end is recorded, since it is billed.
 */
async function* keepAlive(
  { session, model, clock }: AgentContext,
  signal: AbortSignal,
  request: ModelRequest,
  ended: AbortSignal,
): Events {
  const lastMs = clock.now() + keptAliveMs;
  for (;;) {
    const next = nextRefresh(session.reading.cache, lastMs);
    if (!next || !model.refreshCache) return;
    await sleep(clock, next.dueMs - clock.now(), ended);
    // A timer is late when the computer was asleep.
    if (ended.aborted || clock.now() < next.dueMs || clock.now() >= next.expiresAtMs) return;
    const sentAt = isoTime(clock);
    const usage = await model.refreshCache(request, signal).catch(ifRefused);
    if (!usage) return;
    yield await session.record({ type: "refresh", sentAt, usage });
  }
}

function ifRefused(error: unknown): null {
  if (isModelError(error)) return null;
  throw error;
}
