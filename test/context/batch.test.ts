/** Which of the clearable items are cut together, in a hot and in a cold cache. */

import { describe, expect, test } from "bun:test";
import { planAll, planBatch } from "../../src/context/batch.ts";
import { priceOf } from "../../src/context/cache.ts";
import { clearableItems } from "../../src/context/clearable.ts";
import { tuningOf } from "../../src/context/tuning.ts";
import type { Plan } from "../../src/context/types.ts";
import type { Change } from "../../src/protocol/entry.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { Builder, call, rules, say } from "./build.ts";
import { read } from "./compact.ts";
import { prose } from "./sessions.ts";

const large: ModelRules = { ...rules, windowTokens: 1_000_000 };

const signalsOf = (one: Builder, policy: Policy) => ({
  view: one.view,
  reading: read(one, large, policy),
  policy,
  rules: large,
});

const planned = (one: Builder, policy: Policy = defaultPolicy): Plan | null =>
  planBatch(signalsOf(one, policy));

const changesOf = (plan: Plan | null): readonly Change[] =>
  plan && "changes" in plan ? plan.changes : [];

/** Commands with output of `chars` characters each. */
function commands(one: Builder, count: number, chars: number, thinks = 0): void {
  for (let n = 0; n < count; n++) {
    const id = `c${one.path.length}`;
    const thinking = { type: "thinking" as const, thinking: prose(thinks), signature: "s" };
    one.answer([...(thinks > 0 ? [thinking] : []), call(id, "Bash", { command: "make" })]);
    one.result(id, prose(chars), { tool: "Bash" });
  }
}

const tenMinutes = 10 * 60_000;

/** Ends the turn and begins the next one with a message of `chars` characters. */
function nextTurn(one: Builder, chars = 9): void {
  one.answer([say("Done.")]);
  one.user(prose(chars));
}

describe("in a hot cache, the batch that saves most over the calls to come", () => {
  /** What a cut saves in dollars, according to its price, over as many calls as the policy expects. */
  function saved(one: Builder, policy: Policy, changes: readonly Change[]): number {
    if (changes.length === 0) return 0;
    const { payback } = tuningOf(policy);
    const calls = Math.min(payback.max, Math.max(payback.min, one.view.calls));
    const { usd, usedBefore, usedAfter } = priceOf(signalsOf(one, policy), changes);
    return ((usedBefore - usedAfter) * rules.prices.cacheRead * calls) / 1e6 - usd;
  }

  /** What each batch would save: all items from a given one to the newest. */
  function savings(one: Builder, policy: Policy): number[] {
    const items = clearableItems(signalsOf(one, policy));
    return items.map((_, from) =>
      saved(
        one,
        policy,
        items.slice(from).flatMap(({ changes }) => changes()),
      ),
    );
  }

  type Shape = {
    /** Old commands before a long message, and after it. */
    before: number;
    after: number;
    /** Characters of the long message, and of the message that begins the turn. */
    between: number;
    last?: number;
    thinks?: number;
    policy?: Partial<Policy>;
  };

  const shapes: [string, Shape][] = [
    ["few before a long message", { before: 2, between: 90_000, after: 40 }],
    ["many before a long message", { before: 30, between: 90_000, after: 40 }],
    ["a short session", { before: 6, between: 20_000, after: 24 }],
    ["an hour's cache", { before: 14, between: 90_000, after: 40, policy: { cacheTtl: "1h" } }],
    ["a long message at the end", { before: 9, between: 60_000, after: 30, last: 120_000 }],
    ["thinking", { before: 12, between: 60_000, after: 40, thinks: 900 }],
    ["long thinking", { before: 3, between: 60_000, after: 60, thinks: 4_000 }],
  ];
  for (let before = 5; before <= 25; before++)
    shapes.push([`${before} before it`, { before, between: 90_000, after: 40 }]);
  for (const before of [3, 6, 9, 12])
    shapes.push([
      `${before} before it, and a long message at the end`,
      { before, between: 90_000, after: 40, last: 200_000 },
    ]);

  test.each(shapes)("%s", (_, { before, between, after, last, thinks, policy: changed }) => {
    const policy: Policy = { ...defaultPolicy, ...changed };
    const one = new Builder();
    one.user("Run it.");
    commands(one, before, 3_000, thinks);
    nextTurn(one, between);
    commands(one, after, 3_000, thinks);
    nextTurn(one, last);
    const plan = planned(one, policy);
    const most = Math.max(...savings(one, policy));
    expect(most).toBeGreaterThan(0);
    expect(saved(one, policy, changesOf(plan))).toBeGreaterThan(0.995 * most);
    expect(plan?.reason).toEndWith(": keeping it costs more than cutting it");
  });

  test("none if every batch costs more than it saves", () => {
    const one = new Builder();
    one.user("Run it.");
    commands(one, 30, 3_000);
    nextTurn(one, 900_000);
    one.answer([say("Done.")]);
    one.user("And now?");
    expect(Math.max(...savings(one, defaultPolicy))).toBeLessThan(0);
    expect(planned(one)).toBeNull();
    one.wait(tenMinutes);
    expect(planned(one)?.reason).toEndWith(": the cache is cold");
  });
});

/** Commands of which all but 14 are old enough to be cleared. */
function old(count: number, chars: number): Builder {
  const one = new Builder();
  one.user("Run it.");
  commands(one, count + 12, chars);
  nextTurn(one);
  return one;
}

const freed = (plan: Plan | null): number =>
  plan ? plan.price.usedBefore - plan.price.usedAfter : 0;

test("a cut frees at least 1,000 tokens in a cold cache, and 16,000 in a hot one", () => {
  const smallest = (waitMs: number, chars: number): number => {
    for (let count = 1; count < 40; count++) {
      const one = old(count, chars);
      one.wait(waitMs);
      const plan = planned(one);
      if (plan) return freed(plan);
    }
    return 0;
  };
  expect(smallest(tenMinutes, 330)).toBeWithin(1_000, 1_100);
  expect(smallest(0, 3_000)).toBeWithin(16_000, 17_100);
  // A batch that breaks nothing need not meet the higher limit.
  const one = old(8, 600);
  expect(planned(one)).toBeNull();
  one.wait(tenMinutes);
  expect(freed(planned(one))).toBeWithin(1_000, 16_000);
});

describe("a plan says what it does", () => {
  const cold = (fill: (one: Builder) => void): Plan | null => {
    const one = new Builder();
    one.user("Go.");
    fill(one);
    commands(one, 13, 50);
    nextTurn(one);
    one.wait(tenMinutes);
    return planned(one);
  };
  const stamp = { path: "/w/a", does: "read" as const, hash: "h", bytes: 1 };

  test.each<[string, (one: Builder) => void]>([
    ["clear 1 old result", (one) => one.step("a", prose(9_000), { tool: "Bash" })],
    [
      "clear 2 old results",
      (one) => {
        one.step("a", prose(9_000), { tool: "Bash" });
        one.step("b", prose(9_000), { tool: "Bash" });
      },
    ],
    [
      "drop 1 stale result",
      (one) => {
        one.step("a", prose(9_000), { stamps: [stamp] });
        one.step("b", "short", { stamps: [stamp] });
      },
    ],
    [
      "clear 1 long input",
      (one) => {
        one.answer([call("a", "Bash", { command: prose(9_000) })]);
        one.result("a", "done", { tool: "Bash" });
      },
    ],
    [
      "clear 1 old result and 1 long input",
      (one) => {
        one.answer([call("a", "Bash", { command: prose(9_000) })]);
        one.result("a", prose(9_000), { tool: "Bash" });
      },
    ],
  ])("%s", (action, fill) => {
    const plan = cold(fill);
    expect(plan?.action).toBe(action);
    expect(plan?.reason).toBe(`${action}: the cache is cold`);
  });

  test("trim 1 large result", () => {
    const one = new Builder();
    one.user("Go.");
    commands(one, 1, 9_000);
    commands(one, 10, 50);
    nextTurn(one);
    one.wait(tenMinutes);
    expect(planned(one)).toMatchObject({ tier: "budget", action: "trim 1 large result" });
  });
});

test("items of several tiers become one cut per tier, from the oldest on", () => {
  const one = new Builder();
  one.user("Go.");
  const stamp = { path: "/w/a", does: "read" as const, hash: "h", bytes: 1 };
  one.step("a", prose(9_000), { tool: "Bash" });
  const stale = one.step("b", prose(9_000), { stamps: [stamp] });
  one.step("c", "short", { stamps: [stamp] });
  commands(one, 4, 50);
  const trimmed = one.step("d", prose(9_000), { tool: "Bash" });
  commands(one, 10, 50);
  nextTurn(one);
  const plan = () => planAll(signalsOf(one, defaultPolicy), "it is full");
  const tiers: string[] = [];
  for (let next = plan(); next; next = plan()) {
    tiers.push(
      `${next.tier}: ${changesOf(next).flatMap((one) => ("entry" in one ? one.entry : []))}`,
    );
    expect(next.reason).toBe(`${next.action}: it is full`);
    one.cut([...changesOf(next)], next.tier);
  }
  expect(tiers).toEqual(["microcompact: e4", `snip: ${stale.id}`, `budget: ${trimmed.id}`]);
});
