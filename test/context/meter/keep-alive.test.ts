import { expect, test } from "bun:test";
import { nextRefresh } from "../../../src/context/meter/cache.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, call, rules } from "../build.ts";
import { prose } from "../sessions.ts";

const minute = 60_000;

/** A session that waits for a call, and when its request was sent. */
function waiting(): { one: Builder; sentMs: number } {
  const one = new Builder();
  one.user(prose(9_000));
  one.answer([call("a")]);
  return { one, sentMs: one.view.anchor?.atMs ?? 0 };
}

test("the cache is read again 20 seconds before it expires", () => {
  const { one, sentMs } = waiting();
  expect(nextRefresh(one.view, rules, defaultPolicy, sentMs, sentMs + 5 * minute)).toEqual({
    dueMs: sentMs + 5 * minute - 20_000,
    expiresAtMs: sentMs + 5 * minute,
  });
});

test("not after the last moment at which that may be due", () => {
  const { one, sentMs } = waiting();
  const isRead = (lastMs: number): boolean =>
    nextRefresh(one.view, rules, defaultPolicy, sentMs, lastMs) !== null;
  const dueMs = sentMs + 5 * minute - 20_000;
  expect([isRead(dueMs), isRead(dueMs - 1)]).toEqual([true, false]);
});

test("not when it is cold, or when there is no cache", () => {
  const { one, sentMs } = waiting();
  const at = (nowMs: number, more = {}) =>
    nextRefresh(one.view, { ...rules, ...more }, defaultPolicy, nowMs, sentMs + 30 * minute);
  expect(at(sentMs + 5 * minute)).toBeNull();
  expect(at(sentMs, { caches: false })).toBeNull();
  expect(at(sentMs, { cacheMinimumTokens: 1_000_000 })).toBeNull();
});
