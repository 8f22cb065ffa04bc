/** While a tool runs, the prompt cache is read again before it expires, against the strict fake API. */

import { expect, test } from "bun:test";
import { AsyncQueue } from "../../src/agent/async-queue.ts";
import { callModel } from "../../src/agent/call.ts";
import { CacheKeeper, keepingCache } from "../../src/agent/keep-alive.ts";
import { Session } from "../../src/agent/session.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { buildRequest } from "../../src/context/request.ts";
import { project } from "../../src/context/view/view.ts";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { lookUpRules } from "../../src/model/catalog.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { noUsage } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { FakeApi, FakeClock, call, say } from "../fake-api/index.ts";
import { user } from "../context/summary/say.ts";
import { MemoryLog } from "./memory-log.ts";
import { quietBoundaries } from "./quiet-boundaries.ts";

const model = "claude-sonnet-5-5";
const minute = 60_000;

type Options = {
  keepCacheMinutes?: number;
  refuses?: boolean;
  lateMs?: number;
  log?: (now: () => number) => MemoryLog;
};

/**
 * An agent that waits for a tool; `advance` moves the clock and returns what happened up to the
 * next event.
 */
async function waiting({
  keepCacheMinutes = 30,
  refuses = false,
  lateMs = 0,
  log = (now) => new MemoryLog(now),
}: Options = {}) {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const client = createAnthropicClient({ apiKey: "k", fetch: api.fetch, clock });
  const policy = { ...defaultPolicy, keepCacheMinutes };
  const session = new Session(log(clock.now), policy, lookUpRules(model), clock.now);
  const opening = { version: 1, session: "s", cwd: "/w", model, system: "be good" } as const;
  const tools = [{ name: "Bash", description: "runs", input_schema: { type: "object" as const } }];
  await session.append({ type: "session", ...opening, tools });
  await session.append(user("word ".repeat(8_000)));
  api.next({ content: [call("Bash", { command: "make" })] });
  const request = buildRequest(session.view, session.rules, policy);
  const { signal } = new AbortController();
  for await (const _ of callModel(session, client, request, {
    clock,
    signal,
    of: 1,
    show: () => {},
  }))
    continue;
  if (refuses) api.next({ status: 529 });
  const output = new AsyncQueue<AgentEvent>();
  async function* tool(): AsyncGenerator<AgentEvent, string | null> {
    yield* output;
    return "done";
  }
  const late = {
    now: clock.now,
    after: (ms: number, fire: () => void) => clock.after(ms + lateMs, fire),
  };
  const parts = { session, model: client, clock: late, signal, boundaries: quietBoundaries };
  const events = keepingCache(parts, request, tool());
  const advance = async (ms: number) => {
    const next = events.next();
    clock.advance(ms);
    return (await next).value;
  };
  return { clock, api, session, output, events, advance };
}

test("a cache that would expire is read again, and the meter counts from then", async () => {
  const { clock, api, session, output, events, advance } = await waiting();
  const before = session.reading;
  for (let refreshes = 1; refreshes <= 3; refreshes++)
    expect(await advance(5 * minute - 20_000)).toMatchObject({ entry: { type: "refresh" } });
  const { cache, cost } = session.reading;
  expect(cache).toEqual({ ...before.cache, expiresAtMs: clock.now() + 5 * minute });
  expect(cost.session - before.cost.session).toBeCloseTo((3 * cache.tokens * 0.2) / 1e6, 4);
  const [first, ...again] = api.requests.filter(({ path }) => path === "/v1/messages");
  for (const { body } of again)
    expect(body).toEqual({ ...Object(first?.body), max_tokens: 0, stream: false });
  output.close();
  expect(await events.next()).toEqual({ done: true, value: "done" });
  expect(clock.waiting).toBe(0);
  const resumed = project(session.log.path);
  expect(measure(resumed, session.rules, session.policy, clock.now())).toEqual(session.reading);
  expect(api.refusals).toEqual([]);
});

test("a wait that is too long to pay off lets the cache expire", async () => {
  const { clock, api, output, events, advance } = await waiting({ keepCacheMinutes: 10 });
  for (let refreshes = 1; refreshes <= 2; refreshes++) await advance(5 * minute - 20_000);
  const end = events.next();
  expect(clock.waiting).toBe(0);
  output.close();
  expect(await end).toMatchObject({ done: true });
  expect(api.requests.filter(({ path }) => path === "/v1/messages")).toHaveLength(3);
});

test("a refresh that fails, is too late or is switched off is not retried", async () => {
  for (const [options, ms] of [
    [{ refuses: true }, 5 * minute - 20_000],
    [{ lateMs: minute }, 6 * minute],
    [{ lateMs: 20_000 }, 5 * minute],
    [{ keepCacheMinutes: 0 }, 4 * minute],
  ] as const) {
    const { clock, session, output, events } = await waiting(options);
    const end = events.next();
    clock.advance(ms);
    output.close();
    expect(await end).toEqual({ done: true, value: "done" });
    expect(session.log.path.some(({ type }) => type === "refresh")).toBe(false);
  }
});

class FullLog extends MemoryLog {
  override append(...args: Parameters<MemoryLog["append"]>) {
    return args[0].type === "refresh" ? Promise.reject(new Error("full")) : super.append(...args);
  }
}

test("a refresh that cannot be recorded is an error, once the tool has ended", async () => {
  const { output, advance } = await waiting({ log: (now) => new FullLog(now) });
  const end = advance(5 * minute - 20_000);
  output.close();
  await expect(end).rejects.toThrow("full");
});

/** A break after an answer; `advance` moves the clock and returns what is recorded up to then. */
async function onBreak({
  words = 60_000,
  minutes = 15,
  refuses = false,
  /** When the server answers a refresh. */
  answers = Promise.resolve(),
} = {}) {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const client = createAnthropicClient({ apiKey: "k", fetch: api.fetch, clock });
  const policy = { ...defaultPolicy, keepCacheIdleMinutes: minutes };
  const session = new Session(new MemoryLog(clock.now), policy, lookUpRules(model), clock.now);
  const opening = { version: 1, session: "s", cwd: "/w", model, system: "be good" } as const;
  await session.append({ type: "session", ...opening, tools: [] });
  await session.append(user("word ".repeat(words)));
  api.next(say("Done."));
  const request = buildRequest(session.view, session.rules, policy);
  const { signal } = new AbortController();
  const options = { clock, signal, of: 1, show: () => {} };
  for await (const _ of callModel(session, client, request, options)) continue;
  if (refuses) api.next({ status: 529 });
  const back = new AbortController();
  const slow: typeof client.refreshCache = async (...asked) => {
    const usage = await client.refreshCache?.(...asked);
    await answers;
    return usage ?? noUsage;
  };
  const keeper = new CacheKeeper({ session, model: { refreshCache: slow }, clock });
  let ended = false;
  const kept = (async () => {
    for await (const _ of keeper.keepInBreak(back.signal)) continue;
    ended = true;
  })();
  const refreshes = () => session.log.path.filter(({ type }) => type === "refresh").length;
  const settled = async (): Promise<void> => {
    while (clock.waiting === 0 && !ended) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number): Promise<void> => {
    await settled();
    clock.advance(ms);
    await settled();
  };
  return { api, session, keeper, back, kept, refreshes, pass };
}

test("during a break the cache is kept for the minutes of the setting, then given up", async () => {
  const { api, session, kept, refreshes, pass } = await onBreak();
  for (let time = 1; time <= 4; time++) {
    await pass(5 * minute - 20_000);
    expect(refreshes()).toBe(Math.min(time, 3));
  }
  await kept;
  expect(session.reading.cache.state).toBe("hot");
  expect(api.refusals).toEqual([]);
});

test.each([
  ["that is small", { words: 8_000 }],
  ["with the setting 0", { minutes: 0 }],
  ["whose refresh is refused", { refuses: true }],
])("a break %s costs nothing", async (_, options) => {
  const { kept, refreshes, pass } = await onBreak(options);
  await pass(5 * minute - 20_000);
  await kept;
  expect(refreshes()).toBe(0);
});

test("the user who comes back ends it", async () => {
  const { back, kept, refreshes, pass } = await onBreak();
  await pass(minute);
  back.abort();
  await kept;
  expect(refreshes()).toBe(0);
});

test("a refresh that is on its way as the session closes is recorded with its cost", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { api, session, keeper, back, kept, refreshes, pass } = await onBreak({ answers: promise });
  const arrived = api.requests.length;
  void pass(5 * minute - 20_000);
  while (api.requests.length === arrived) await new Promise((wait) => setImmediate(wait));
  back.abort();
  await kept;
  expect(refreshes()).toBe(0);
  const before = session.spentUsd;
  const recorded = (async () => {
    for await (const _ of keeper.recordLate()) continue;
  })();
  resolve();
  await recorded;
  expect(refreshes()).toBe(1);
  expect(session.spentUsd).toBeGreaterThan(before);
});
