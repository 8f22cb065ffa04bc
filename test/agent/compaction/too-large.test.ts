import { expect, test } from "bun:test";
import { says, user } from "../../context/summary/say.ts";
import { failures, world, writes } from "./harness.ts";

test("a summary larger than what it replaces is not used, even when forced", async () => {
  const short = "<summary>hi</summary>";
  const one = world([writes(short), writes(short), writes(short)]);
  await one.add(user("hi"), says("Yes."), user("go on"));
  const before = one.sees();
  const [from, to] = one.log.path.map(({ id }) => id);
  if (from === undefined || to === undefined) throw new Error("Nothing was added.");
  const price = { usedBefore: 9, usedAfter: 1, cachedBroken: 0, usd: 0, breakEvenCalls: 0 };
  const plan = { tier: "summary", action: "", reason: "", summarize: { from, to }, price } as const;
  const { signal } = new AbortController();
  const made = await one.run(one.compactor.apply(plan, { trigger: "auto", signal, forced: true }));
  expect(made).toBe(false);
  expect(failures(one.events)).toEqual([
    "Not compacted: what must be kept is larger than what would be removed.",
  ]);
  expect(one.session.view.cuts).toEqual([]);
  expect(one.sees()).toBe(before);
});
