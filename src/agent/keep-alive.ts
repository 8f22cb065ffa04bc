import { nextRefresh } from "../context/meter/cache.ts";
import type { ModelClient } from "../model/client.ts";
import { isoTime, sleep, type Clock } from "../base/clock.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRequest } from "../protocol/model.ts";
import { merge } from "./async-queue.ts";
import type { Session } from "./session.ts";
import { isModelError } from "./call.ts";

type Waiting = {
  session: Session;
  model: ModelClient;
  clock: Pick<Clock, "now" | "after">;
  signal: AbortSignal;
};

type Work<R> = AsyncGenerator<AgentEvent, R>;

/** Passes on what `work` yields and returns; until it ends, keeps the cache of the last request alive. */
export async function* keepingCache<R>(
  waiting: Waiting,
  request: ModelRequest,
  work: Work<R | null>,
): Work<R | null> {
  const done = new AbortController();
  const working = async function* (): Work<R | null> {
    try {
      return yield* work;
    } finally {
      done.abort();
    }
  };
  const ended = AbortSignal.any([waiting.signal, done.signal]);
  const [result = null] = yield* merge([working(), refreshes(waiting, request, ended)]);
  return result;
}

/** Stops after a failure: the next call then writes the cache again. */
async function* refreshes(
  { session, model, clock, signal }: Waiting,
  request: ModelRequest,
  ended: AbortSignal,
): Work<null> {
  const sinceMs = clock.now();
  for (;;) {
    const { view, rules, policy } = session;
    const next = nextRefresh(view, rules, policy, clock.now(), sinceMs);
    if (!next || !model.refreshCache) return null;
    await sleep(clock, next.dueMs - clock.now(), ended);
    // A timer is late when the computer was asleep.
    const isDue = clock.now() >= next.dueMs && clock.now() < next.expiresAtMs;
    if (ended.aborted || !isDue) return null;
    const sentAt = isoTime(clock);
    try {
      // Not aborted with the tool, so that its cost is recorded.
      const usage = await model.refreshCache(request, signal);
      if (usage === null) return null;
      yield await session.record({ type: "refresh", sentAt, usage });
    } catch (error) {
      if (isModelError(error)) return null;
      throw error;
    }
  }
}
