import { expect, test } from "bun:test";
import { spanRange, sentRows, uncovered } from "../../../src/context/view/rows.ts";
import { Builder, say } from "../build.ts";
import { says, user, makeView } from "../summary/say.ts";

test.each([
  ["e2", "e3", ["e2", "e3"]],
  ["e3", "e3", ["e3"]],
  ["e2", "e99", []],
  ["e99", "e3", []],
] as const)("the span from %s to %s has the rows %j", (from, to, ids) => {
  const range = spanRange(makeView(user("a"), says("b"), user("c")), { from, to });
  expect(uncovered(range).map(({ entry }) => entry.id)).toEqual([...ids]);
});

test("of the rows that a summary hides, only the one that shows it may be sent", () => {
  const one = new Builder();
  one.user("a");
  one.answer([say("b")]);
  one.user("c");
  one.cover("e2", "e3");
  expect(sentRows(one.view).map(({ entry }) => entry.id)).toEqual(["e1", "e2", "e4", "e5"]);
});
