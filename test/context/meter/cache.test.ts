/** What a cut costs and saves. */

import { expect, test } from "bun:test";
import {
  callsToPayBack,
  callUsd,
  estimatePrompt,
  priceChanges,
} from "../../../src/context/meter/cache.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { summaryPlan } from "../../../src/context/ladder.ts";
import type { Signals } from "../types.ts";
import { project } from "../../../src/context/view/view.ts";
import type { ModelRules } from "../../../src/protocol/model.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import type { Change, Price, Span } from "../../../src/protocol/entry.ts";
import { begin, Builder, rules, say, serverSummary, think } from "../build.ts";
import { read, readSignals } from "../compact.ts";
import { prose, reads } from "../sessions.ts";
import { told } from "../summary/say.ts";

const clear = (entry: string): Change[] => [{ kind: "replace", entry, text: "[cleared]" }];

const price = (one: Builder, changes: Change[], waitMs = 0) => {
  one.wait(waitMs);
  return priceChanges(readSignals(one, rules, defaultPolicy), changes);
};

/** The price of a summary of the span. */
function priceOfSummary(now: Signals, span: Span): Price {
  const plan = summaryPlan(now, span);
  if (!plan) throw new Error("There is no plan.");
  return plan.price;
}

test("a cold cache costs nothing to break", () => {
  const cold = price(reads(10, 6_000), clear("e4"), 6 * 60_000);
  expect([cold.cachedBroken, cold.usd, cold.breakEvenCalls]).toEqual([0, 0, 0]);
});

test("a cover frees what it covers, less its own text and what is pinned", () => {
  const one = reads(10, 6_000);
  const cover = (text: string, to = "e11"): Change[] => [
    { kind: "cover", span: { from: "e2", to }, text },
  ];
  const freed = (changes: Change[]): number => {
    const { usedBefore, usedAfter } = price(one, changes);
    return usedBefore - usedAfter;
  };
  const rows = Array.from({ length: 10 }, (_, at) => at + 1);
  const { tokenCounts } = one.view;
  const covered = rows.reduce((sum, row) => sum + (tokenCounts.countedTokens(row) ?? 0), 0);
  const long = prose(3_000);
  expect(freed(cover(""))).toBeCloseTo(covered, -1);
  const own = freed(cover("")) - freed(cover(long));
  expect(own).toBeGreaterThan(600);
  const block = serverSummary("");
  const byServer = cover("").map((change) => ({ ...change, block, kept: long }) as Change);
  expect(freed(byServer)).toBe(freed(cover(long)));
  expect(freed(cover("", "e99"))).toBe(0);
  one.add({ type: "pin", entry: "e4", on: true });
  expect(freed(cover(""))).toBeLessThan(covered - 1_500);
});

test("after the server's own summary, later thinking stays, unless something pinned is quoted between", () => {
  const one = new Builder();
  one.turn("Go on.", "Done.");
  one.user("And again.");
  one.answer([think(prose(9_000)), say("Thought.")]);
  one.user("And now?");
  const block = serverSummary();
  const changes: Change[] = [
    { kind: "cover", span: { from: "e2", to: "e3" }, text: "Sum.", block },
  ];
  const freed = (): number => {
    const { usedBefore, usedAfter } = price(one, changes);
    return usedBefore - usedAfter;
  };
  expect(freed()).toBeLessThan(100);
  one.add({ type: "pin", entry: "e2", on: true });
  expect(freed()).toBeGreaterThan(2_000);
});

test("an input that does not become shorter frees nothing", () => {
  const one = begin("Write.");
  const input = { file_path: "/w/a", content: prose(3_000) };
  one.step("a", "done", { tool: "Write", input });
  one.user("And now?");
  const shorter = (content: string): Change[] => [
    { kind: "input", entry: "e3", toolUse: "a", input: { ...input, content } },
  ];
  expect(price(one, shorter(input.content)).usedAfter).toBe(price(one, []).usedAfter);
  const { usedBefore, usedAfter } = price(one, shorter("cut"));
  expect(usedBefore - usedAfter).toBeGreaterThan(600);
});

test("a change that frees nothing never pays off", () => {
  const one = reads(10, 6_000);
  const longer: Change[] = [{ kind: "replace", entry: "e4", text: prose(9_000) }];
  expect(price(one, longer).breakEvenCalls).toBeNull();
});

test.each([
  [0, 1_000, 0],
  [-1, 0, 0],
  [0.01, 0, null],
  [0.01, -5, null],
  [0.01, 50_000, 1],
  [0.0101, 50_000, 2],
  [0.1, 50_000, 10],
])("$%d for %d tokens less in each call pays off after %p calls", (usd, freed, calls) => {
  expect(callsToPayBack(usd, freed, rules.prices)).toBe(calls);
});

test("the call that writes a summary reads the cache while it is hot, and pays for its words", () => {
  const one = reads(10, 6_000);
  const { input, cacheRead, output } = rules.prices;
  const usd = (outputTokens: number, model: ModelRules = rules): number =>
    callUsd(readSignals(one, model, defaultPolicy), outputTokens);
  expect(usd(1_000) - usd(0)).toBeCloseTo((1_000 * output) / 1e6, 9);
  expect(usd(99_000)).toBeCloseTo(usd(8_000), 9);
  const { usedTokens } = read(one, rules, defaultPolicy);
  const hot = usd(0);
  // Another model has nothing of it in its cache.
  const elsewhere = usd(0, { ...rules, summarizer: rules });
  one.wait(6 * 60_000);
  expect(usd(0)).toBeCloseTo((usedTokens * input) / 1e6, 9);
  expect(elsewhere).toBe(usd(0));
  expect(hot).toBeCloseTo((usedTokens * cacheRead) / 1e6, 9);
});

test("a summary is priced with its usual length and an analysis before it, unless it is ready or no model writes it", () => {
  const paid = (isReady: boolean, more: Partial<ModelRules> = {}): number => {
    const one = reads(20, 6_000);
    if (isReady) one.attempt({ draft: { span: { from: "e2", to: "e43" }, text: "Sum." } });
    const [some = 0, none = 0] = [10, 0].map((output) => {
      const model = { ...rules, ...more, prices: { ...rules.prices, output } };
      return summaryPlan(readSignals(one, model, defaultPolicy))?.price.usd;
    });
    return (some - none) * 1e5;
  };
  expect(paid(false)).toBeWithin(3_990, 4_001);
  expect(paid(true)).toBe(0);
  expect(paid(false, { summarizes: false, compacts: false })).toBe(0);
});

test("instructions stay beside a summary, so that summarizing them frees nothing", () => {
  const model = { ...rules, charsPerToken: { prose: 3.1, code: 3.1, result: 3.1 } };
  const freed = (isTold: boolean): number => {
    const one = new Builder();
    if (isTold) one.add(told("instructions", "AGENTS.md", prose(9_000)));
    one.user("Read on.");
    for (let n = 0; n < 10; n++) one.step(`c${n}`, prose(6_000));
    one.answer([say("Done.")]);
    const span = { from: one.path[1]?.id ?? "", to: one.path.at(-1)?.id ?? "" };
    const { usedBefore, usedAfter } = priceOfSummary(readSignals(one, model, defaultPolicy), span);
    return usedBefore - usedAfter;
  };
  expect(Math.abs(freed(true) - freed(false))).toBeLessThan(200);
});

test("the server's own summary covers what the program said before the conversation", () => {
  const one = new Builder();
  one.add(told("reminder", "t", prose(9_000)));
  for (const question of ["First.", "Second."]) one.turn(question, prose(6_000));
  const left = (compacts: boolean): number => {
    const now = readSignals(one, { ...rules, compacts }, defaultPolicy);
    return priceOfSummary(now, { from: "e3", to: "e4" }).usedAfter;
  };
  expect(left(false) - left(true)).toBeWithin(2_500, 3_500);
});

/** Of nothing. */
const { breakdown: none } = measure(project([]), rules, defaultPolicy, 0);

test("a cold cache is written again, a hot one is read as far as it reaches", () => {
  const cold = { state: "cold", expiresAtMs: null, tokens: 0 } as const;
  const hot = { state: "hot", expiresAtMs: 1, tokens: 90_000 } as const;
  const { cacheRead, cacheWrite5m, cacheWrite1h, input } = rules.prices;
  const price = (cache: typeof cold | typeof hot, more = {}, ttl: "5m" | "1h" = "5m") =>
    estimatePrompt(
      { usedTokens: 100_000, cache, breakdown: none, idleMs: 9 * 60_000 },
      { ...rules, ...more },
      { cacheTtl: ttl },
    );
  expect(price(cold)).toBeCloseTo(cacheWrite5m * 0.1, 9);
  expect(price(cold, {}, "1h")).toBeCloseTo(cacheWrite1h * 0.1, 9);
  expect(price(hot)).toBeCloseTo(cacheRead * 0.09 + cacheWrite5m * 0.01, 9);
  expect(price(hot, { caches: false })).toBeCloseTo(cacheRead * 0.09 + input * 0.01, 9);
});

test("system prompt and tools may be cached for an hour", () => {
  const cache = { state: "cold", expiresAtMs: null, tokens: 0 } as const;
  const breakdown = { ...none, system: 15_000, tools: 5_000 };
  const { cacheRead, cacheWrite5m, cacheWrite1h } = rules.prices;
  const price = (idleMs: number | null) =>
    estimatePrompt({ usedTokens: 100_000, cache, breakdown, idleMs }, rules, defaultPolicy);
  expect(price(30 * 60_000)).toBeCloseTo(cacheRead * 0.02 + cacheWrite5m * 0.08, 9);
  expect(price(60 * 60_000 - 1)).toBe(price(30 * 60_000));
  expect(price(60 * 60_000)).toBeCloseTo(cacheWrite1h * 0.02 + cacheWrite5m * 0.08, 9);
  expect(price(null)).toBeCloseTo(cacheWrite1h * 0.02 + cacheWrite5m * 0.08, 9);
});
