/** Work that visits every row of a long history waits for a pause in typing. */

import { afterEach, expect, jest, test } from "bun:test";
import { betweenFrames } from "../../src/ui/memo.ts";
import { project } from "../../src/context/view/view.ts";
import { Builder } from "../context/build.ts";

afterEach(() => void jest.useRealTimers());

function longView() {
  const session = new Builder();
  for (let n = 0; n < 1_000; n++) session.user(`Question ${n}`);
  return project(session.path);
}

test("a value of a long history is computed after a pause, and each key prolongs it", () => {
  jest.useFakeTimers();
  const view = longView();
  const pauseMs = view.rows.length / 40;
  let drawn = 0;
  const value = betweenFrames<string>({ view, redraw: () => void drawn++ });
  const get = (): string | null => value.get(["now"], () => "computed");
  expect(get()).toBeNull();
  for (let key = 0; key < 10; key++) {
    jest.advanceTimersByTime(pauseMs * 0.8);
    value.postpone();
    expect(get()).toBeNull();
  }
  jest.advanceTimersByTime(pauseMs * 1.1);
  expect(drawn).toBe(1);
  expect(get()).toBe("computed");
  value.postpone();
  jest.advanceTimersByTime(pauseMs * 2);
  expect(drawn).toBe(1);
  value.stop();
});
