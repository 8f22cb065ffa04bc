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
  expect(nextRefresh(one.view, rules, defaultPolicy, sentMs, sentMs)).toEqual({
    dueMs: sentMs + 5 * minute - 20_000,
    expiresAtMs: sentMs + 5 * minute,
  });
});

test("for as long as the setting says, counted from the beginning of the wait", () => {
  const { one, sentMs } = waiting();
  const isRead = (sinceMs: number, keepCacheMinutes = 30): boolean =>
    nextRefresh(one.view, rules, { ...defaultPolicy, keepCacheMinutes }, sentMs, sinceMs) !== null;
  const dueMs = sentMs + 5 * minute - 20_000;
  expect([isRead(dueMs - 30 * minute), isRead(dueMs - 30 * minute - 1)]).toEqual([true, false]);
  expect(isRead(sentMs, 0)).toBe(false);
});

test("not when it is cold, or when there is no cache", () => {
  const { one, sentMs } = waiting();
  const at = (nowMs: number, more = {}) =>
    nextRefresh(one.view, { ...rules, ...more }, defaultPolicy, nowMs, sentMs);
  expect(at(sentMs + 5 * minute)).toBeNull();
  expect(at(sentMs, { caches: false })).toBeNull();
  expect(at(sentMs, { cacheMinimumTokens: 1_000_000 })).toBeNull();
});
