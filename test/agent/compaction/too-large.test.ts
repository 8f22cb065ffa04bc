import { expect, test } from "bun:test";
import { says, user } from "../../context/summary/say.ts";
import { failures, makePlan, world, writes } from "./harness.ts";

test("a summary larger than what it replaces is not used, even when forced", async () => {
  const short = "<summary>hi</summary>";
  const one = world([writes(short), writes(short), writes(short)]);
  await one.add(user("hi"), says("Yes."), user("go on"));
  const before = one.sees();
  const plan = makePlan(one);
  if (!plan) throw new Error("There is no plan.");
  const { signal } = new AbortController();
  const made = await one.run(one.compactor.apply(plan, { trigger: "auto", signal, forced: true }));
  expect(made).toBe(false);
  expect(failures(one.events)).toEqual([
    "Not compacted: what must be kept is larger than what would be removed.",
  ]);
  expect(one.session.view.cuts).toEqual([]);
  expect(one.sees()).toBe(before);
});
