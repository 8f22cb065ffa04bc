import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { isoTime, sleep, steadyTime, systemClock } from "../../src/base/clock.ts";

/** A computer whose clock can be set. */
function computer() {
  let [wallMs, elapsedMs] = [1_000_000, 500];
  return {
    now: steadyTime(
      () => wallMs,
      () => elapsedMs,
    ),
    pass: (ms: number) => {
      wallMs += ms;
      elapsedMs += ms;
    },
    set: (byMs: number) => (wallMs += byMs),
  };
}

test("time continues when the clock is set back, and follows when it is set forward", () => {
  const { now, pass, set } = computer();
  expect(now()).toBe(1_000_000);
  pass(10);
  set(-3_600_000);
  pass(10);
  expect(now()).toBe(1_000_020);
  set(-365 * 86_400_000);
  pass(10);
  expect(now()).toBe(1_000_030);
  set(3_600_000);
  pass(10);
  expect(now()).toBe(4_600_040);
});

test("a small correction only makes time wait", () => {
  const { now, pass, set } = computer();
  pass(100);
  expect(now()).toBe(1_000_100);
  set(-60);
  pass(10);
  expect(now()).toBe(1_000_100);
  pass(100);
  expect(now()).toBe(1_000_150);
});

/** A timer that fires on demand. */
function timer() {
  let [fire, cancelled] = [(): void => {}, 0];
  const after = (_ms: number, then: () => void) => {
    fire = then;
    return () => void cancelled++;
  };
  return { after, fire: () => fire(), cancelled: () => cancelled };
}

test("a sleep ends at its time or when it is stopped, and leaves neither timer nor listener", async () => {
  const { after, fire, cancelled } = timer();
  const stop = new AbortController();
  const listeners = () => getEventListeners(stop.signal, "abort").length;
  const first = sleep({ after }, 10, stop.signal);
  expect(listeners()).toBe(1);
  fire();
  await first;
  expect(listeners()).toBe(0);
  const second = sleep({ after }, 10, stop.signal);
  const before = cancelled();
  stop.abort();
  await second;
  expect(cancelled()).toBe(before + 1);
  const none = () => {
    throw new Error("set a timer");
  };
  await sleep({ after: none }, 10, stop.signal);
});

test("a timer fires, unless it is cancelled; a time is written in the form of ISO 8601", async () => {
  const fired: string[] = [];
  systemClock.after(0, () => fired.push("cancelled"))();
  await new Promise<void>((resolve) => systemClock.after(0, resolve));
  expect(fired).toEqual([]);
  expect(isoTime({ now: () => 0 })).toBe("1970-01-01T00:00:00.000Z");
});
