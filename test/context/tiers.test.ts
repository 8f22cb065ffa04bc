/** The tiers of the policy "thresholds": each acts at its share of the window and not before. */

import { describe, expect, test } from "bun:test";
import { summary } from "../../src/context/summary-due.ts";
import { budget, microcompact, snip } from "../../src/context/thresholds.ts";
import type { MeterReading, Plan, Signals } from "../../src/context/types.ts";
import type { FileStamp } from "../../src/protocol/entry.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { Builder, rules, say } from "./build.ts";
import { read } from "./compact.ts";
import { prose } from "./sessions.ts";

const policy = { ...defaultPolicy, policy: "thresholds" as const };

function now(one: Builder, changes: Partial<MeterReading>): Signals {
  const reading = { ...read(one, rules, policy), ...changes };
  return { view: one.view, reading, policy, rules };
}

/** A step for each text, and three short ones that no tier may cut. */
function steps(...texts: string[]): Builder {
  const one = new Builder();
  one.user("Go.");
  for (const [n, text] of [...texts, "a", "b", "c"].entries())
    one.step(`c${n}`, text, { tool: "Bash" });
  one.answer([say("Done.")]);
  one.user("And now?");
  return one;
}

const told = (plan: Plan | null) => plan && [plan.action, plan.reason];
const changed = (plan: Plan | null): string[] =>
  plan && "changes" in plan ? plan.changes.flatMap((one) => ("entry" in one ? one.entry : [])) : [];

describe("budget", () => {
  const one = steps(prose(40_000), prose(33_000), prose(33_001), prose(16_501), prose(16_500));
  const at = (utilization: number) => budget(now(one, { utilization }));

  test("trims from half of the window on, and more above 70 %", () => {
    expect(at(0.4999)).toBeNull();
    expect(changed(at(0.5))).toEqual(["e4", "e8"]);
    expect(changed(at(0.7))).toEqual(["e4", "e8"]);
    expect(changed(at(0.7001))).toEqual(["e4", "e6", "e8", "e10"]);
  });

  test("says how far and why", () => {
    expect(told(at(0.514))).toEqual([
      "trim 2 large results",
      "trim 2 large results to 30,000 characters: 51 % used",
    ]);
    expect(told(at(0.8))).toEqual([
      "trim 4 large results",
      "trim 4 large results to 15,000 characters: 80 % used",
    ]);
  });

  test("does nothing without large results, and trims none twice", () => {
    const small = steps(prose(9_000));
    expect(budget(now(small, { utilization: 0.9 }))).toBeNull();
    const twice = steps(prose(40_000));
    const plan = budget(now(twice, { utilization: 0.6 }));
    twice.cut(plan && "changes" in plan ? plan.changes : [], "budget");
    expect(budget(now(twice, { utilization: 0.6 }))).toBeNull();
    expect(changed(budget(now(twice, { utilization: 0.9 })))).toEqual(["e4"]);
  });
});

describe("snip", () => {
  const stamp: FileStamp = { path: "/w/a", does: "read", hash: "h", bytes: 1 };
  const one = new Builder();
  one.user("Go.");
  for (const n of [1, 2]) one.step(`r${n}`, prose(900), { stamps: [stamp] });
  for (const n of [1, 2, 3, 4]) one.step(`g${n}`, prose(900), { tool: "Grep" });
  for (const n of [1, 2, 3, 4, 5]) one.step(`b${n}`, prose(900), { tool: "Bash" });
  one.answer([say("Done.")]);
  one.user("And now?");
  const at = (utilization: number) => snip(now(one, { utilization }));

  test("drops stale reads, and searches and commands beyond the newest three, above 60 %", () => {
    expect(at(0.6)).toBeNull();
    expect(changed(at(0.601))).toEqual(["e4", "e8", "e16", "e18"]);
    expect(told(at(0.66))).toEqual(["drop 4 stale results", "drop 4 stale results: 66 % used"]);
  });

  test("does nothing if nothing is stale", () => {
    const fresh = new Builder();
    fresh.user("Go.");
    for (const n of [1, 2, 3, 4]) fresh.step(`w${n}`, prose(900), { tool: "WebFetch" });
    expect(snip(now(fresh, { utilization: 0.9 }))).toBeNull();
  });
});

describe("microcompact", () => {
  const one = steps(prose(900), prose(900));
  const minute = 60_000;
  const at = (idleMs: number | null) => microcompact(now(one, { idleMs }));

  test("clears what is old once the cache is cold, at a turn's start", () => {
    expect(at(null)).toBeNull();
    expect(at(5 * minute)).toBeNull();
    expect(changed(at(5 * minute + 1))).toEqual(["e4", "e6"]);
    expect(told(at(7.4 * minute))).toEqual([
      "clear 2 old results",
      "clear 2 old results: idle for 7 minutes, the cache is cold",
    ]);
  });

  test("waits longer where the cache lives longer, and clears nothing new", () => {
    const hour = { ...policy, cacheTtl: "1h" as const };
    expect(microcompact({ ...now(one, { idleMs: 60 * minute }), policy: hour })).toBeNull();
    expect(microcompact({ ...now(one, { idleMs: 60 * minute + 1 }), policy: hour })).not.toBeNull();
    const fresh = steps();
    expect(microcompact(now(fresh, { idleMs: 9 * minute }))).toBeNull();
  });
});

describe("summary", () => {
  const at = (one: Builder, utilization: number) =>
    summary(now(one, { utilization, effectiveTokens: 100_000 }));

  test("replaces what came before the turn above 85 %", () => {
    const one = steps(prose(9_000));
    expect(at(one, 0.85)).toBeNull();
    expect(at(one, 0.8501)).toMatchObject({
      tier: "summary",
      reason: "summarize 10 messages: 85 % used",
      summarize: { from: "e2", to: "e11" },
    });
  });

  test("needs four messages", () => {
    const one = new Builder();
    one.user(prose(9_000));
    one.answer([say("Yes.")]);
    one.user("Go on.");
    one.user("And on.");
    expect(at(one, 0.9)).toBeNull();
    one.answer([say("Yes.")]);
    expect(at(one, 0.9)).not.toBeNull();
  });

  test("counts an earlier summary as one message", () => {
    const one = new Builder();
    one.user("Begin.");
    one.answer([say("Yes.")]);
    one.cover("e2", "e3", prose(9_000));
    one.answer([say(prose(9_000))]);
    one.user("Go on.");
    expect(at(one, 0.9)).toBeNull();
    one.answer([say("Yes.")]);
    expect(at(one, 0.9)).not.toBeNull();
  });

  test("is not worth it for less than 1,000 tokens, or a twentieth of a small window", () => {
    const worth = (chars: number, effectiveTokens = 100_000) => {
      const one = steps(prose(chars));
      const signal = now(one, { utilization: 0.9, effectiveTokens });
      return summary(signal) !== null;
    };
    expect([2_600, 2_700, 2_800, 2_900, 3_000, 3_100].filter((chars) => worth(chars))[0]).toBe(
      2_900,
    );
    expect([worth(2_000), worth(2_000, 10_000)]).toEqual([false, true]);
  });
});
