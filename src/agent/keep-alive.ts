import { forecast } from "../context/forecast.ts";
import { isWorthKeeping, nextRefresh } from "../context/meter/cache.ts";
import { buildCountRequest } from "../context/request.ts";
import type { ModelClient } from "../model/client.ts";
import { isoTime, sleep, type Clock } from "../base/clock.ts";
import type { Fact } from "../protocol/entry.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { ModelRequest } from "../protocol/model.ts";
import { merge } from "./async-queue.ts";
import type { Session } from "./session.ts";
import type { TurnBoundaries } from "./turn-boundaries.ts";
import { isModelError } from "./call.ts";

type KeepAliveWait = {
  session: Session;
  model: Pick<ModelClient, "refreshCache">;
  clock: Pick<Clock, "now" | "after">;
  signal: AbortSignal;
};

type Work<R> = AsyncGenerator<AgentEvent, R>;

/**
 * Passes on what `work` yields and returns. Until it ends, keeps the cache of the last request alive, and
 * records a summary that becomes ready.
 */
export async function* keepingCache<R>(
  waiting: KeepAliveWait & { boundaries: Pick<TurnBoundaries, "recordWhenReady"> },
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
  const recording = async function* (): Work<null> {
    yield* waiting.boundaries.recordWhenReady(ended);
    return null;
  };
  const beside = [refreshes(waiting, request, ended), recording()];
  const [result = null] = yield* merge([working(), ...beside]);
  return result;
}

/** Stops after a failure: the next call then writes the cache again. */
async function* refreshes(
  waiting: KeepAliveWait,
  request: ModelRequest,
  ended: AbortSignal,
): Work<null> {
  const { session, clock } = waiting;
  const sinceMs = clock.now();
  while (await isDue(waiting, session.policy.keepCacheMinutes, sinceMs, ended)) {
    // Not aborted with the tool, so that its cost is recorded.
    const fact = await refresh(waiting, request);
    if (fact === null) return null;
    yield await session.record(fact);
  }
  return null;
}

/** Waits until the cache is to be read again. False: it is not, as the wait ends or takes too long. */
async function isDue(
  { session, model, clock }: KeepAliveWait,
  minutes: number,
  sinceMs: number,
  ended: AbortSignal,
): Promise<boolean> {
  const { view, rules } = session;
  const policy = { ...session.policy, keepCacheMinutes: minutes };
  const next = nextRefresh(view, rules, policy, clock.now(), sinceMs);
  if (!next || !model.refreshCache) return false;
  await sleep(clock, next.dueMs - clock.now(), ended);
  // A timer is late when the computer was asleep.
  return !ended.aborted && clock.now() >= next.dueMs && clock.now() < next.expiresAtMs;
}

/** Null: it failed, or the server cannot. */
async function refresh({ model, clock, signal }: KeepAliveWait, request: ModelRequest) {
  const sentAt = isoTime(clock);
  try {
    const usage = await model.refreshCache?.(request, signal);
    return usage ? ({ type: "refresh", sentAt, usage } as const) : null;
  } catch (error) {
    if (isModelError(error)) return null;
    throw error;
  }
}

/**
 * Keeps the cache alive during a break, as long as the settings allow and where that pays. A refresh
 * that is on its way when the break ends is recorded after the next turn, or as the session closes: no
 * prompt waits for it.
 */
export class BreakKeeper {
  readonly #waiting: Omit<KeepAliveWait, "signal">;
  #late: Promise<Fact | null> | null = null;

  constructor(waiting: Omit<KeepAliveWait, "signal">) {
    this.#waiting = waiting;
  }

  /** Records what the refresh cost that the end of the last break came across. */
  async *recordLate(): Work<void> {
    let fact: Fact | null;
    try {
      fact = await this.#late;
    } finally {
      this.#late = null;
    }
    if (fact) yield await this.#waiting.session.record(fact);
  }

  async *keep(ended: AbortSignal): Work<void> {
    const { session, clock } = this.#waiting;
    const waiting = { ...this.#waiting, signal: new AbortController().signal };
    yield* this.recordLate();
    const sinceMs = clock.now();
    const minutes = session.policy.keepCacheIdleMinutes;
    while (await isDue(waiting, minutes, sinceMs, ended)) {
      const { signals, nowMs } = session;
      const { view, rules, policy } = signals;
      const { whenCold } = forecast(view, rules, policy, nowMs);
      if (!isWorthKeeping(signals, whenCold?.freesTokens ?? 0)) return;
      const { request } = buildCountRequest(view, rules, policy);
      this.#late = refresh(waiting, request);
      const fact = await Promise.race([this.#late, aborted(ended)]);
      if (ended.aborted || !fact) return;
      this.#late = null;
      yield await session.record(fact);
    }
  }
}

const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));
