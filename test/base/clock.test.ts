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

/** Fires on demand. */
function timer() {
  let [fire, cancelled] = [(): void => {}, 0];
  const after = (_ms: number, then: () => void) => {
    fire = then;
    return () => void cancelled++;
  };
  return { after, fire: () => fire(), cancelled: () => cancelled };
}

test("a sleep ends at its time", async () => {
  const { after, fire } = timer();
  const sleeping = sleep({ after }, 10, new AbortController().signal);
  fire();
  await sleeping;
});

test("a sleep ends when it is stopped, and its timer with it", async () => {
  const { after, cancelled } = timer();
  const stop = new AbortController();
  const sleeping = sleep({ after }, 10, stop.signal);
  stop.abort();
  await sleeping;
  expect(cancelled()).toBe(1);
});

test("a sleep whose signal has fired ends at once", async () => {
  const after = () => {
    throw new Error("set a timer");
  };
  await sleep({ after }, 10, AbortSignal.abort());
});

test("a timer fires, unless it is cancelled", async () => {
  const fired: string[] = [];
  const cancel = systemClock.after(0, () => fired.push("cancelled"));
  cancel();
  await new Promise<void>((resolve) => systemClock.after(0, resolve));
  expect(fired).toEqual([]);
});

test("a time is written in the form of ISO 8601", () => {
  expect(isoTime({ now: () => 0 })).toBe("1970-01-01T00:00:00.000Z");
});

test("a sleep that ended leaves nothing on its signal", async () => {
  const { signal } = new AbortController();
  const { after, fire } = timer();
  const sleeping = sleep({ after }, 10, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  fire();
  await sleeping;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
