import { expect, test } from "bun:test";
import { rangeOf, uncovered } from "../../src/context/row-range.ts";
import { says, user, viewOf } from "./summary/say.ts";

test.each([
  ["e2", "e3", ["e2", "e3"]],
  ["e3", "e3", ["e3"]],
  ["e2", "e99", []],
  ["e99", "e3", []],
] as const)("the span from %s to %s has the rows %j", (from, to, ids) => {
  const range = rangeOf(viewOf(user("a"), says("b"), user("c")), { from, to });
  expect([...uncovered(range)].map(({ entry }) => entry.id)).toEqual([...ids]);
});
