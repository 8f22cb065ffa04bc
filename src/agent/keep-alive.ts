/** Reads the prompt cache again before it expires, while tools run and in a break, where that pays. */

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

type KeeperOptions = {
  session: Session;
  model: Pick<ModelClient, "refreshCache">;
  clock: Pick<Clock, "now" | "after">;
};

type Work<R> = AsyncGenerator<AgentEvent, R>;

/**
 * Passes on what `work` yields and returns. Until it ends, keeps the cache of the last request alive, and
 * records a summary that becomes ready.
 */
export async function* keepingCache<R>(
  options: KeeperOptions & {
    signal: AbortSignal;
    boundaries: Pick<TurnBoundaries, "recordWhenReady">;
  },
  request: ModelRequest,
  work: Work<R | null>,
): Work<R | null> {
  const { session, signal, boundaries } = options;
  const done = new AbortController();
  const ended = AbortSignal.any([signal, done.signal]);
  const keeper = new CacheKeeper(options);
  const working = async function* (): Work<R | null> {
    try {
      return yield* work;
    } finally {
      done.abort();
    }
  };
  const beside = async function* (work: Work<void>): Work<null> {
    yield* work;
    return null;
  };
  const minutes = session.policy.keepCacheMinutes;
  const [result = null] = yield* merge([
    working(),
    beside(keeper.keep(minutes, () => request, ended, signal)),
    beside(boundaries.recordWhenReady(ended)),
  ]);
  yield* keeper.recordLate();
  return result;
}

export class CacheKeeper {
  readonly #options: KeeperOptions;
  /** A refresh that was on its way when the wait for it ended. */
  #late: Promise<Fact | null> | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Records what a refresh cost that was on its way when the last wait ended. */
  async *recordLate(): Work<void> {
    let fact: Fact | null;
    try {
      fact = await this.#late;
    } finally {
      this.#late = null;
    }
    if (fact) yield await this.#options.session.record(fact);
  }

  /**
   * Refreshes until `ended`, for so many minutes. Stops after a failure: the next call then writes the cache
   * again. `request`: null where it does not pay. `signal` aborts a refresh; its end alone does not, so
   * that its cost is recorded: at once, or by `recordLate`.
   */
  async *keep(
    minutes: number,
    request: () => ModelRequest | null,
    ended: AbortSignal,
    signal = new AbortController().signal,
  ): Work<void> {
    const { session, clock } = this.#options;
    const lastMs = clock.now() + minutes * 60_000;
    while (await this.#isDue(lastMs, ended)) {
      const next = request();
      if (!next) return;
      this.#late = this.#refresh(next, signal);
      const fact = await Promise.race([this.#late, aborted(ended)]);
      if (ended.aborted || !fact) return;
      this.#late = null;
      yield await session.record(fact);
    }
  }

  /** In a break, as long as the settings allow; no prompt waits for it. */
  async *keepInBreak(ended: AbortSignal): Work<void> {
    const { session } = this.#options;
    yield* this.recordLate();
    const request = (): ModelRequest | null => {
      const { signals, nowMs } = session;
      const { view, rules, policy } = signals;
      const { whenCold } = forecast(view, rules, policy, nowMs);
      const pays = isWorthKeeping(signals, whenCold?.freesTokens ?? 0);
      return pays ? buildCountRequest(view, rules, policy).request : null;
    };
    yield* this.keep(session.policy.keepCacheIdleMinutes, request, ended);
  }

  /** Waits until the cache is to be read again. False: it is not, as the wait ends or takes too long. */
  async #isDue(lastMs: number, ended: AbortSignal): Promise<boolean> {
    const { session, model, clock } = this.#options;
    const { view, rules, policy } = session;
    const next = nextRefresh(view, rules, policy, clock.now(), lastMs);
    if (!next || !model.refreshCache) return false;
    await sleep(clock, next.dueMs - clock.now(), ended);
    // A timer is late when the computer was asleep.
    return !ended.aborted && clock.now() >= next.dueMs && clock.now() < next.expiresAtMs;
  }

  /** Null: it failed, or the server cannot. */
  async #refresh(request: ModelRequest, signal: AbortSignal): Promise<Fact | null> {
    const { model, clock } = this.#options;
    const sentAt = isoTime(clock);
    try {
      const usage = await model.refreshCache?.(request, signal);
      return usage ? { type: "refresh", sentAt, usage } : null;
    } catch (error) {
      if (isModelError(error)) return null;
      throw error;
    }
  }
}

const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(null), { once: true }));
