import { expect, test } from "bun:test";
import { explainRepeatedCutoff, retryDelayMs, waitToRetry } from "../../src/agent/call.ts";
import { ModelError } from "../../src/model/failures.ts";
import { instantClock } from "../instant-clock.ts";

const busy = new ModelError("busy", "overloaded");

test("delays double up to 32 seconds", () => {
  expect([1, 2, 3, 6, 7, 20].map((attempt) => retryDelayMs(attempt, busy, 0))).toEqual([
    1000, 2000, 4000, 32_000, 32_000, 32_000,
  ]);
});

test("a delay is randomly shortened by up to a quarter", () => {
  expect([0, 0.5, 0.9999].map((random) => retryDelayMs(2, busy, random))).toEqual([
    2000, 1750, 1500,
  ]);
});

test("the server's delay is used, up to ten minutes", () => {
  const asks = (retryAfterMs: number) => new ModelError("busy", "wait", { retryAfterMs });
  expect(retryDelayMs(1, asks(7_500), 0.5)).toBe(7_500);
  expect(retryDelayMs(1, asks(86_400_000), 0.5)).toBe(600_000);
});

async function waits(
  error: ModelError,
  attempt: number,
  signal = new AbortController().signal,
  hasAnswered = false,
) {
  const waited: number[] = [];
  const events = waitToRetry(error, {
    attempt,
    of: 3,
    clock: instantClock(undefined, waited),
    signal,
    hasAnswered,
  });
  const first = await events.next();
  if (first.done) return { again: first.value, waited };
  const last = await events.next();
  return { event: first.value, again: last.value, waited };
}

test("a busy or stalled server is retried after a reported wait", async () => {
  expect(await waits(busy, 2)).toEqual({
    event: { type: "retry", attempt: 2, of: 3, waitMs: 2000, reason: "overloaded" },
    again: true,
    waited: [2000],
  });
  expect(await waits(new ModelError("stall", "silent"), 1)).toMatchObject({ again: true });
});

test("nothing is retried after the last attempt, after Esc, or when it cannot help", async () => {
  const nothing = { again: false, waited: [] };
  expect(await waits(busy, 3)).toEqual(nothing);
  expect(await waits(busy, 1, AbortSignal.abort())).toEqual(nothing);
  expect(await waits(new ModelError("invalid", "no"), 1)).toEqual(nothing);
});

test("Esc during the wait ends it without another attempt", async () => {
  const stop = new AbortController();
  const clock = { ...instantClock(), after: () => () => {} };
  const events = waitToRetry(busy, {
    attempt: 1,
    of: 3,
    clock,
    signal: stop.signal,
    hasAnswered: false,
  });
  await events.next();
  const last = events.next();
  stop.abort();
  expect(await last).toEqual({ done: true, value: false });
});

test("a server that has answered before may restart within 30 seconds; another is not waited for", async () => {
  const gone = new ModelError("unreachable", "gone");
  const signal = new AbortController().signal;
  expect((await waits(gone, 1)).again).toBe(false);
  const attempts = Array.from({ length: 12 }, (_, at) => at + 1);
  const all = await Promise.all(attempts.map((attempt) => waits(gone, attempt, signal, true)));
  const waited = all.flatMap((one) => one.waited);
  expect(waited.reduce((a, b) => a + b, 0)).toBe(30_000);
  expect(all.map(({ again }) => again)).toEqual(attempts.map((attempt) => attempt < 11));
});

test("the third break at the same place says so, and is not tried again", () => {
  const broken = new ModelError("busy", "It broke off.");
  const kinds = (places: number[], error = broken) => {
    const breaks: number[] = [];
    return places.map((chars) => explainRepeatedCutoff(error, breaks, chars).kind);
  };
  expect(kinds([4_000, 4_100, 4_050])).toEqual(["busy", "busy", "invalid"]);
  expect(kinds([100, 4_000, 4_100, 4_050])).toEqual(["busy", "busy", "busy", "invalid"]);
  expect(kinds([1_000, 2_000, 3_000])).toEqual(["busy", "busy", "busy"]);
  expect(kinds([1_000, 1_000, 1_100])).toEqual(["busy", "busy", "invalid"]);
  expect(kinds([1_000, 1_000, 1_101])).toEqual(["busy", "busy", "busy"]);
  expect(kinds([0, 0, 0])).toEqual(["busy", "busy", "busy"]);
  const overloaded = new ModelError("busy", "overloaded", { status: 529 });
  expect(kinds([50, 50, 50], overloaded)).toEqual(["busy", "busy", "busy"]);
  const breaks = [4_000, 4_100];
  expect(explainRepeatedCutoff(broken, breaks, 4_050).message).toBe(
    "It broke off. The answer broke off 3 times at the same place, after about 4050 characters: " +
      "something between here and the model may cut off long answers.",
  );
});
