/** When a summary is due: at its threshold, or earlier with the balance that saves. */

import { describe, expect, test } from "bun:test";
import { nextPlan } from "../../../src/context/ladder.ts";
import { summary } from "../../../src/context/tiers/summary.ts";
import type { MeterReading, Plan, Signals } from "../../../src/context/types.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { Builder, rules, say } from "../build.ts";
import { read, readSignals } from "../compact.ts";
import { prose } from "../sessions.ts";

function now(one: Builder, changes: Partial<MeterReading>, summaryAt = 0.85): Signals {
  const policy = { ...defaultPolicy, summaryAt };
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

const due = (signals: Signals): Plan | null => summary(signals, null);

describe("summary", () => {
  const at = (one: Builder, utilization: number, summaryAt?: number) =>
    due(
      now(
        one,
        { utilization, usedTokens: utilization * 100_000, effectiveTokens: 100_000 },
        summaryAt,
      ),
    );

  test("replaces what came before the turn above 85 %", () => {
    const one = steps(prose(9_000));
    expect(at(one, 0.85)).toBeNull();
    expect(at(one, 0.8501)).toMatchObject({
      tier: "summary",
      reason: "summarize 1 turn: 85 % used",
      summarize: { from: "e2", to: "e11" },
    });
  });

  test("is due at the share, or above the tokens, that the user sets", () => {
    const one = steps(prose(9_000));
    expect([0.4, 0.41].map((used) => at(one, used, 0.4) !== null)).toEqual([false, true]);
    expect([0.4, 0.41].map((used) => at(one, used, 40_000) !== null)).toEqual([false, true]);
    expect(at(one, 1.01, 500_000)).not.toBeNull();
  });

  test("is not due if what the other tiers cut is enough", () => {
    const signal = now(steps(prose(9_000)), {
      usedTokens: 86_000,
      utilization: 0.86,
      effectiveTokens: 100_000,
    });
    const cut = due(signal);
    if (!cut) throw new Error("no plan");
    const after = (usedAfter: number): Plan => ({ ...cut, price: { ...cut.price, usedAfter } });
    expect(summary(signal, after(85_000))).toBeNull();
    expect(summary(signal, after(85_001))).not.toBeNull();
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
      const usedTokens = 0.9 * effectiveTokens;
      return due(now(one, { utilization: 0.9, usedTokens, effectiveTokens })) !== null;
    };
    expect([2_600, 2_700, 2_800, 2_900, 3_000, 3_100].filter((chars) => worth(chars))[0]).toBe(
      2_900,
    );
    expect([worth(2_000), worth(2_000, 10_000)]).toEqual([false, true]);
  });
});

const model = { ...rules, windowTokens: 100_000, thinking: "none" as const };

/** Turns without calls: nothing can be cleared, so only a summary helps. */
function talk(turns: number, chars: number): Builder {
  const one = new Builder();
  for (let turn = 0; turn < turns; turn++) {
    one.user(`Question ${turn}`);
    one.answer([say(prose(chars))]);
  }
  one.user("And now?");
  return one;
}

test("with the balance that saves, a summary comes at 65,000 tokens", () => {
  const planned = (one: Builder, balance: Policy["balance"]) => {
    const wide = { ...model, windowTokens: 200_000 };
    return nextPlan("turnStart", readSignals(one, wide, { ...defaultPolicy, balance }))?.tier;
  };
  const [below, above] = [talk(60, 2_900), talk(80, 2_900)];
  expect([planned(below, "save"), planned(above, "save")]).toEqual([undefined, "summary"]);
  expect([planned(above, "balanced"), planned(above, "keep")]).toEqual([undefined, undefined]);
});

test("a summary that the server signed is not used by a model that cannot take it, nor for a review", () => {
  const one = steps(prose(9_000));
  const span = { from: "e2", to: "e11" };
  const block = { type: "compaction", content: "All of it.", signature: "s" } as const;
  const attempt = { outcome: "ready", by: "server", trigger: "auto", reason: "" } as const;
  const draft = { span, text: "All of it.", block };
  one.add({ type: "attempt", ...attempt, usedTokens: 1, draft });
  const used = { utilization: 0.9, usedTokens: 90_000, effectiveTokens: 100_000 };
  const usesDraft = (changes: Partial<Signals>): boolean => {
    const plan = due({ ...now(one, used), ...changes });
    return plan !== null && "summarize" in plan && plan.draft !== undefined;
  };
  expect(usesDraft({})).toBe(true);
  expect(usesDraft({ rules: { ...rules, compacts: false } })).toBe(false);
  expect(usesDraft({ policy: { ...defaultPolicy, confirmSummary: true } })).toBe(false);
});

test("a summary that is ready is used only if it begins and ends within what is to be summarized", () => {
  const usesDraft = (span: { from: string; to: string }): boolean => {
    const one = steps(prose(9_000), prose(9_000), prose(9_000));
    const attempt = { outcome: "ready", by: "model", trigger: "auto", reason: "" } as const;
    one.add({ type: "attempt", ...attempt, usedTokens: 1, draft: { span, text: "All of it." } });
    const used = { utilization: 0.9, usedTokens: 90_000, effectiveTokens: 100_000 };
    const plan = due(now(one, used));
    return plan !== null && "summarize" in plan && plan.draft !== undefined;
  };
  expect(usesDraft({ from: "e2", to: "e15" })).toBe(true);
  expect(usesDraft({ from: "e4", to: "e15" })).toBe(false);
  expect(usesDraft({ from: "e2", to: "e16" })).toBe(false);
});
