/** While a tool runs, the prompt cache is read again before it expires, against the strict fake API. */

import { expect, test } from "bun:test";
import { measure } from "../../src/context/meter/meter.ts";
import { project } from "../../src/context/view/view.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { call, FakeApi, FakeClock, say } from "../fake-api/index.ts";
import { fakeAgent } from "./fake-agent.ts";
import { of, prompt } from "./harness.ts";
import { MemoryLog } from "./memory-log.ts";
import { quietBoundaries } from "./quiet-boundaries.ts";
import { ScriptedToolbox } from "./scripted.ts";

const minute = 60_000;
/** The cache is read again so long after the call that wrote it. */
const dueMs = 5 * minute - 20_000;

type Options = {
  refuses?: boolean;
  lateMs?: number;
  rules?: Partial<ModelRules>;
};

/** An agent that waits for a tool; `advance` moves the clock to where the cache was read once more, or not. */
async function waiting({ refuses = false, lateMs = 0, rules = {} }: Options = {}) {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const log = new MemoryLog(clock.now);
  const tool = Promise.withResolvers<string>();
  const agent = await fakeAgent({
    api,
    log,
    rules,
    tools: ["free"],
    toolbox: new ScriptedToolbox(() => tool.promise),
    agent: {
      boundaries: () => quietBoundaries,
      clock: {
        now: clock.now,
        random: () => 0,
        after: (ms, fire) => clock.after(ms + lateMs, fire),
      },
    },
  });
  api.next({ content: [call("free", {})] });
  const done = agent.send(prompt("word ".repeat(8_000)));
  await agent.until(() => of(agent.log.path, "assistant").length > 0);
  await new Promise(setImmediate);
  if (refuses) api.next({ status: 529 });
  const refreshes = () => of(agent.log.path, "refresh").length;
  const calls = () => api.requests.filter(({ path }) => path === "/v1/messages");
  return {
    ...agent,
    clock,
    refreshes,
    calls,
    async advance(ms: number): Promise<void> {
      const before = refreshes();
      clock.advance(ms);
      await agent.until(() => refreshes() > before);
      await new Promise(setImmediate);
    },
    async finish() {
      api.next(say("Done."));
      tool.resolve("done");
      return done;
    },
  };
}

test("a cache that would expire is read again while that pays off, and the meter counts from then", async () => {
  const { clock, api, log, rules, calls, advance, finish } = await waiting();
  const read = () => measure(project(log.path), rules, defaultPolicy, clock.now());
  const before = read();
  for (let refreshes = 1; refreshes <= 3; refreshes++) await advance(dueMs);
  const { cache, cost } = read();
  expect(cache).toEqual({ ...before.cache, expiresAtMs: clock.now() + 5 * minute });
  expect(cost.session - before.cost.session).toBeCloseTo((3 * cache.tokens * 0.2) / 1e6, 4);
  const [first, ...again] = calls();
  expect([again.length, clock.waiting]).toEqual([3, 0]);
  for (const { body } of again)
    expect(body).toEqual({ ...Object(first?.body), max_tokens: 0, stream: false });
  expect(await finish()).toEqual({ type: "idle", why: "done" });
  expect(api.refusals).toEqual([]);
});

test.each<[string, Options, number]>([
  ["fails", { refuses: true }, dueMs],
  ["is too late", { lateMs: minute }, 6 * minute],
  ["comes as the cache expires", { lateMs: 20_000 }, 5 * minute],
  ["finds nothing cached", { rules: { cacheMinimumTokens: 1_000_000 } }, dueMs],
])("a refresh that %s is not retried", async (_, options, ms) => {
  const { clock, refreshes, finish } = await waiting(options);
  clock.advance(ms);
  await new Promise(setImmediate);
  expect(await finish()).toEqual({ type: "idle", why: "done" });
  expect(refreshes()).toBe(0);
});

test("a refresh that cannot be recorded fails the turn, once the tool has ended", async () => {
  const { clock, finish, log } = await waiting();
  log.before = async ({ type }) => {
    if (type === "refresh") throw new Error("full");
  };
  clock.advance(dueMs);
  await new Promise(setImmediate);
  expect(await finish()).toMatchObject({ why: "failed", message: "full" });
  expect(of(log.path, "result")).toHaveLength(1);
});
