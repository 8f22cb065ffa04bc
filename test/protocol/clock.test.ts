import { expect, test } from "bun:test";
import { steadyTime } from "../../src/protocol/clock.ts";

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

test("time goes on when the clock is set back, and follows when it is set forward", () => {
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
