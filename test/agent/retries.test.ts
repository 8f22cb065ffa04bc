/** What a failed call leads to: another attempt after a wait, or the end of the turn. */

import { expect, test } from "bun:test";
import { ModelError } from "../../src/model/client.ts";
import { noUsage, sentBy } from "../../src/protocol/model.ts";
import { instantClock } from "../instant-clock.ts";
import { ending, of, prompt, run } from "./harness.ts";
import { says, uses, type Scripted } from "./scripted.ts";

const busy = new ModelError("busy", "It broke off.");
const ok: Scripted = says("whole");

test("delays double up to 32 seconds, and after eight attempts the turn has failed", async () => {
  const { waits, events } = await run(Array.from({ length: 8 }, () => ({ error: busy })));
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000]);
  expect(ending(events)).toMatchObject({ why: "failed", message: "It broke off." });
});

test("a delay is shortened at random by up to a quarter; the server's own is used, up to ten minutes", async () => {
  const waits: number[] = [];
  const after = (ms: number, fire: () => void) => (waits.push(ms), fire(), () => {});
  const clock = { now: () => 0, random: () => 0.5, after };
  const asks = (retryAfterMs: number) => ({
    error: new ModelError("stall", "wait", { retryAfterMs }),
  });
  await run([{ error: busy }, asks(7_500), asks(86_400_000), ok], { clock });
  expect(waits).toEqual([875, 7_500, 600_000]);
});

test("a stop ends the wait before the next attempt", async () => {
  const { model, events } = await run([{ error: busy }, ok], {
    clock: { ...instantClock(), after: () => () => {} },
    on: ({ type }, send) => {
      if (type === "retry") setImmediate(() => send({ type: "stop" }));
    },
  });
  expect(ending(events).why).toBe("stopped");
  expect(model.requests).toHaveLength(1);
});

test("a server that cannot be reached any more is polled for 30 seconds, as it may be restarting", async () => {
  const gone: Scripted = { error: new ModelError("unreachable", "gone") };
  expect((await run([gone])).waits).toEqual([]);
  const script = [ok, ...Array.from({ length: 11 }, () => gone)];
  const { waits, events } = await run(script, { next: [prompt("again")] });
  expect(waits).toEqual(Array.from({ length: 10 }, () => 3_000));
  expect(ending(events).why).toBe("failed");
});

test.each<[number[], boolean, ModelError?]>([
  [[1_000, 4_000, 4_100, 4_050], true],
  [[1_000, 1_000, 1_100], true],
  [[1_000, 1_000, 1_101], false],
  [[1_000, 2_000, 3_000], false],
  [[50, 50, 50], false],
  // An overloaded server breaks off anywhere.
  [[4_000, 4_000, 4_000], false, new ModelError("busy", "overloaded", { status: 529 })],
])("an answer that broke off at %j is not tried again: %p", async (places, isEnd, error = busy) => {
  const { events } = await run([
    ...places.map((chars) => ({ torn: "x".repeat(chars), error })),
    ok,
  ]);
  expect(ending(events).why).toBe(isEnd ? "failed" : "done");
  if (isEnd)
    expect(ending(events).message).toMatch(
      /^It broke off\. The answer broke off 3 times at the same place, after about \d+ characters/,
    );
});

const input = 100_000;
test.each<[string, Scripted]>([
  ["attempts that are billed and fail", { cost: { ...noUsage, input }, torn: "half", error: busy }],
  ["answers that are not counted", { ...uses("t", "read"), usage: noUsage }],
])("%s end at the spending limit", async (_, answer) => {
  const { model, events } = await run(
    Array.from({ length: 8 }, () => answer),
    { agent: { limits: { maxUsd: 0.000_001 } } },
  );
  expect(events.at(-1)).toMatchObject({ why: "failed", limit: "budget" });
  expect(model.left).toBeGreaterThan(5);
});

test.each([
  ["what was estimated", 9_000, 10_000, true],
  ["half of it", 5_000, 10_000, true],
  ["four times as much, as in other scripts", 40_000, 10_000, true],
  ["a small figure for a large request", 50, 10_000, false],
  ["a small figure for a small request", 50, 200, true],
  ["more than the window", 130_000, 90_000, false],
  ["a number without sense", 10 ** 15, 10_000, false],
  ["nothing", 0, 10_000, true],
])("a server's count is believed if it is %s", async (_, sent, expected, isBelieved) => {
  const usage = { ...noUsage, input: Math.floor(sent / 2), cacheRead: Math.ceil(sent / 2) };
  // An answer that is longer than the window is not believed.
  for (const [output, believed] of [
    [10, 10],
    [10 ** 15, 0],
  ] as const) {
    const prompts = ["x".repeat(expected * 4)];
    const { log } = await run([{ ...ok, usage: { ...usage, output } }], { prompts });
    const [answer] = of(log.path, "assistant");
    expect(answer && sentBy(answer.usage)).toBe(isBelieved ? sent : 0);
    expect(answer?.usage.output).toBe(believed);
  }
});
