import { expect, test } from "bun:test";
import { isInsideLoop } from "../../../src/context/view/pairs.ts";
import { Builder, call, say } from "../build.ts";

test("a tool loop reaches from its first call to the answer that calls nothing", () => {
  const one = new Builder();
  one.answer([call("a")]);
  one.result("a", "text");
  one.user("And this?");
  one.answer([call("b")]);
  one.answer([], { stop: "failed" });
  one.result("b", "text");
  one.answer([say("Done.")]);
  one.user("Go on.");
  // Without the entry of the session, the path begins with a call.
  const entries = one.path.slice(1);
  const path = { entryAt: (row: number) => entries[row], isOrphan: () => false };
  const inside = entries.map((_, row) => isInsideLoop(row, path));
  expect(inside).toEqual([false, true, true, true, true, true, true, false]);
});

test("results of calls that were lost begin no loop", () => {
  const one = new Builder();
  one.result("gone", "text");
  one.answer([call("a")]);
  one.result("a", "text");
  const path = { entryAt: (row: number) => one.path[row], isOrphan: (row: number) => row === 1 };
  expect(one.path.map((_, row) => isInsideLoop(row, path))).toEqual([false, false, false, true]);
});
