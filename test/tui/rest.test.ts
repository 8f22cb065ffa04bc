import { afterEach, expect, jest, test } from "bun:test";
import { Rest } from "../../src/tui/rest.ts";
import type { ScreenState } from "../../src/tui/state.ts";

afterEach(() => void jest.useRealTimers());

test("memory is given back once, after a pause that follows work", () => {
  jest.useFakeTimers();
  let phase: ScreenState["phase"] = "idle";
  let freed = 0;
  const rest = new Rest(
    () => phase,
    () => void freed++,
  );
  const change = (to: ScreenState["phase"]): void => {
    phase = to;
    rest.follow();
  };
  const freedAfter = (seconds: number): number => {
    jest.advanceTimersByTime(seconds * 1_000);
    return freed;
  };
  change("idle");
  expect(freedAfter(60)).toBe(0);

  change("waiting");
  expect(freedAfter(60)).toBe(0);
  change("idle");
  expect(freedAfter(8)).toBe(0);
  rest.postpone();
  expect(freedAfter(8)).toBe(0);
  change("idle");
  expect(freedAfter(3)).toBe(1);
  change("idle");
  expect(freedAfter(60)).toBe(1);

  change("waiting");
  change("idle");
  expect(freedAfter(8)).toBe(1);
  change("waiting");
  expect(freedAfter(60)).toBe(1);
  change("idle");
  rest.stop();
  expect(freedAfter(60)).toBe(1);
});
