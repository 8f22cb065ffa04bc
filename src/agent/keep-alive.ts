/** Refreshes the prompt cache before it expires while tools run. */

import type { MeterReading } from "../context/types.ts";
import { isoTime, sleep } from "../base/clock.ts";
import type { Events } from "../protocol/event.ts";
import type { ModelRequest } from "../protocol/model.ts";
import { merge } from "../base/async-queue.ts";
import { isModelError } from "./call.ts";
import type { AgentContext } from "./options.ts";

/**
 * Runs `work`, passing its events and result through. Meanwhile keeps the cache of the last request alive, and
 * records the background summary once it is ready.
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

/** Beyond this, refreshing costs more than writing the cache again. */
export const maxKeepAliveMs = 15 * 60_000;

/** Time between a refresh and the expiry of the cache. */
const marginMs = 20_000;

/** When to refresh the cache; null: nothing is cached, or no refresh is due by `lastMs`. */
export function nextRefresh({ tokens, expiresAtMs }: MeterReading["cache"], lastMs: number) {
  if (expiresAtMs === null || tokens === 0) return null;
  const dueMs = expiresAtMs - marginMs;
  return dueMs <= lastMs ? { dueMs, expiresAtMs } : null;
}

/**
 * Refreshes until `ended`, or for 15 minutes. Stops after a failure: the next call then
 * writes the cache again. A refresh in flight at the end is still recorded, since it is billed.
 */
async function* keepAlive(
  { session, model, clock }: AgentContext,
  signal: AbortSignal,
  request: ModelRequest,
  ended: AbortSignal,
): Events {
  const lastMs = clock.now() + maxKeepAliveMs;
  for (;;) {
    const next = nextRefresh(session.reading.cache, lastMs);
    if (!next || !model.refreshCache) return;
    await sleep(clock, next.dueMs - clock.now(), ended);
    // The computer may have slept past the expiry.
    if (ended.aborted || clock.now() < next.dueMs || clock.now() >= next.expiresAtMs) return;
    const sentAt = isoTime(clock);
    const usage = await model.refreshCache(request, signal).catch(nullIfModelError);
    if (!usage) return;
    yield await session.record({ type: "refresh", sentAt, usage });
  }
}

function nullIfModelError(error: unknown): null {
  if (isModelError(error)) return null;
  throw error;
}
