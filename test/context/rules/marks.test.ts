/** Where the cache marks are placed. */

import { expect, test } from "bun:test";
import { buildRequest } from "../../../src/context/request.ts";
import type { View } from "../types.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { begin, Builder, call, rules, say, think } from "../build.ts";
import { told } from "../summary/say.ts";

const wide = { ...rules, windowTokens: 1_000_000 };

/** Indexes of the messages that carry a mark. */
const markedMessages = (view: View): number[] =>
  buildRequest(view, wide, defaultPolicy).messages.flatMap(({ content }, index) =>
    content.some((block) => "cache_control" in block) ? [index] : [],
  );

/** A conversation that ends with `calls` parallel calls. */
function parallel(calls: number, words = false, isFirst = false): Builder {
  const one = begin();
  if (!isFirst) one.step("t0", "first");
  const ids = Array.from({ length: calls }, (_, index) => `p${index}`);
  one.answer([...(words ? [say("All at once.")] : []), ...ids.map((id) => call(id))]);
  for (const id of ids) one.result(id, "text");
  return one;
}

test("the end is marked, and the previous end when what came since is long", () => {
  const marked = (...how: Parameters<typeof parallel>) => markedMessages(parallel(...how).view);
  expect(marked(5)).toEqual([4]);
  expect(marked(5, true)).toEqual([2, 4]);
  expect(marked(5, true, true)).toEqual([0, 2]);
  expect(markedMessages(begin().view)).toEqual([0]);
});

test("a mark goes on the last block that may carry it, with the lifetime of the settings", () => {
  const one = begin();
  one.answer([say("Hm."), think(), call("a")]);
  one.result("a", "text");
  const last = (changes: Partial<typeof defaultPolicy>) =>
    buildRequest(one.view, wide, { ...defaultPolicy, ...changes }).messages.at(-1)?.content;
  expect(last({})).toMatchObject([{ cache_control: { type: "ephemeral" } }]);
  expect(last({ cacheTtl: "1h" })).toMatchObject([
    { cache_control: { type: "ephemeral", ttl: "1h" } },
  ]);
});

test("after a change, the last message of the user before it is marked", () => {
  const replaced = (fill: (one: Builder) => void): number[] => {
    const one = new Builder();
    one.turn("First.", "Done.");
    fill(one);
    const { id } = one.user("Second, at length.");
    one.answer([say("Done.")]);
    one.cut([{ kind: "replace", entry: id, text: "Second." }]);
    one.user("Third.");
    return markedMessages(one.view);
  };
  expect(replaced(() => undefined)).toEqual([0, 4]);
  // The changed message has two parts, so it will not last.
  const news = (one: Builder) => one.add(told("reminder", "t", "News."));
  expect(replaced(news)).toEqual([0, 4]);
});
