/** While a tool runs, the prompt cache is read again before it expires, against the strict fake API. */

import { expect, test } from "bun:test";
import { AsyncQueue } from "../../src/agent/async-queue.ts";
import { callModel } from "../../src/agent/call.ts";
import { keepingCache } from "../../src/agent/keep-alive.ts";
import { Session } from "../../src/agent/session.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { buildRequest } from "../../src/context/request.ts";
import { project } from "../../src/context/view/view.ts";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { lookUpRules } from "../../src/model/catalog.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { FakeApi, FakeClock, call } from "../fake-api/index.ts";
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
