/** Refreshes the prompt cache before it expires while tools run. */

import type { MeterReading } from "../context/types.ts";
import type { ModelClient } from "../model/client.ts";
import { isoTime, sleep, type Clock } from "../base/clock.ts";
import type { Fact } from "../protocol/entry.ts";
import type { Events } from "../protocol/event.ts";
import type { ModelRequest } from "../protocol/model.ts";
import { merge } from "../base/async-queue.ts";
import type { Session } from "./session.ts";
import type { TurnBoundaries } from "./compaction/at-boundary.ts";
import { isModelError } from "./call.ts";

type KeeperOptions = {
  session: Session;
  model: Pick<ModelClient, "refreshCache">;
  clock: Pick<Clock, "now" | "after">;
  signal: AbortSignal;
};

/**
 * Passes on what `work` yields and returns. Until it ends, keeps the cache of the last request alive, and
 * records a summary that becomes ready.
 */
export async function* keepingCache<R>(
  options: KeeperOptions & { boundaries: Pick<TurnBoundaries, "recordWhenReady"> },
  request: ModelRequest,
  work: Events<R | null>,
): Events<R | null> {
  const done = new AbortController();
  const ended = AbortSignal.any([options.signal, done.signal]);
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
    beside(keepAlive(options, request, ended)),
    beside(options.boundaries.recordWhenReady(ended)),
  ]);
  return result;
}

/**
 * Refreshes until `ended`, or for 15 minutes. Stops after a failure: the next call then
 * writes the cache again. A refresh that is on its way at the end is recorded, since it is billed.
 */
async function* keepAlive(
  options: KeeperOptions,
  request: ModelRequest,
  ended: AbortSignal,
): Events {
  const { session, clock } = options;
  const lastMs = clock.now() + keptAliveMs;
  while (await isDue(options, lastMs, ended)) {
    const fact = await refresh(options, request);
    if (!fact) return;
    yield await session.record(fact);
  }
}

/** A longer wait costs more than writing the cache again saves, in milliseconds. */
export const keptAliveMs = 15 * 60_000;

/** How long before the cache expires it is read again, in milliseconds. */
const marginMs = 20_000;

/** When to read the cache again; null: nothing is cached, or it lives beyond `lastMs`. */
export function nextRefresh(
  { tokens, expiresAtMs }: MeterReading["cache"],
  lastMs: number,
): { dueMs: number; expiresAtMs: number } | null {
  if (expiresAtMs === null || tokens === 0) return null;
  const dueMs = expiresAtMs - marginMs;
  return dueMs <= lastMs ? { dueMs, expiresAtMs } : null;
}

/** Waits until the next refresh is due. False: cancelled, or too late. */
async function isDue(
  { session, model, clock }: KeeperOptions,
  lastMs: number,
  ended: AbortSignal,
): Promise<boolean> {
  const next = nextRefresh(session.reading.cache, lastMs);
  if (!next || !model.refreshCache) return false;
  await sleep(clock, next.dueMs - clock.now(), ended);
  // A timer is late when the computer was asleep.
  return !ended.aborted && clock.now() >= next.dueMs && clock.now() < next.expiresAtMs;
}

/** Null: it failed, or the server cannot. */
async function refresh(
  { model, clock, signal }: KeeperOptions,
  request: ModelRequest,
): Promise<Fact | null> {
  const sentAt = isoTime(clock);
  try {
    const usage = await model.refreshCache?.(request, signal);
    return usage ? { type: "refresh", sentAt, usage } : null;
  } catch (error) {
    if (isModelError(error)) return null;
    throw error;
  }
}
