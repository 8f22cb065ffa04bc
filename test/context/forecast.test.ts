/** The forecast is computed by the planner: what it predicts is what happens. */

import { bareRules } from "../bare-rules.ts";
import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { forecast, forecastKey, nextUp, type NextEvent } from "../../src/context/forecast.ts";
import { measure } from "../../src/context/meter/meter.ts";
import { nextPlan } from "../../src/context/ladder.ts";
import type { Plan, View } from "./types.ts";
import { Projection } from "../../src/context/view/view.ts";
import type { ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { begin, Builder, call, rules, say, think } from "./build.ts";
import { play, prose, steps } from "./sessions.ts";

const policies = fc.record({
  minFreed: fc.constantFrom(defaultPolicy.minFreed, 0),
  balance: fc.constantFrom("keep" as const, "balanced" as const, "save" as const),
  autoCompact: fc.constantFrom("on" as const, "on" as const, "ask" as const, "off" as const),
  summaryAt: fc.constantFrom(0.6, 0.85),
});
const windows = fc.constantFrom(12_000, 30_000, 60_000, 200_000, 1_000_000);

/** The tiers that act at a turn's start, after a message of `chars` characters sent at `atMs`. */
function firesAfter(
  session: Builder,
  chars: number,
  atMs: number,
  model: ModelRules,
  policy: Policy,
): { plan: Plan | null; usedTokens: number } {
  const { view } = withMessage(session, chars);
  const reading = measure(view, model, policy, atMs);
  const plan = nextPlan("turnStart", { view, reading, policy, rules: model });
  return { plan, usedTokens: reading.usedTokens };
}

function withMessage(session: Builder, chars: number): Projection {
  const projection = new Projection(session.path);
  projection.push({
    id: "next",
    parent: session.view.head,
    at: new Date(session.nowMs).toISOString(),
    type: "user",
    content: [say("x".repeat(chars))],
  });
  return projection;
}

/** The length of a message with which the meter reads `tokens`, or the closest possible number. */
function charsFor(session: Builder, tokens: number, model: ModelRules, policy: Policy): number {
  const usedAfter = (chars: number): number =>
    measure(withMessage(session, chars).view, model, policy, session.nowMs).usedTokens;
  let chars = Math.max(0, Math.floor((tokens - usedAfter(0)) * charsPerToken(session, model)));
  while (chars > 0 && usedAfter(chars) > tokens) chars--;
  while (usedAfter(chars) < tokens) chars++;
  return chars;
}

/** Stale thinking, which the next message removes. */
function removedTokens(session: Builder, model: ModelRules, policy: Policy): number {
  const { view } = session;
  if (!view.staleThinking || view.midLoop) return 0;
  const used = (of: View): number => measure(of, model, policy, session.nowMs).usedTokens;
  return used(view) - used(withMessage(session, 0).view);
}

/** Whether a plan shortens the added message, which only simulates growth: then it does not count. */
const shortensIt = (plan: Plan | null): boolean =>
  plan !== null &&
  "changes" in plan &&
  plan.changes.some((change) => change.kind === "replace" && change.entry === "next");

/** The same tiers and counts, and the price to within 5 %. */
function expectSame(plan: Plan | null, forecast: NextEvent): void {
  const { tier, action, usd, freesTokens } = forecast;
  expect({ tier: plan?.tier, action: plan?.action }).toEqual({ tier, action });
  if (!plan) return;
  const freed = plan.price.usedBefore - plan.price.usedAfter;
  expect(Math.abs(plan.price.usd - usd)).toBeLessThanOrEqual(0.05 * usd + 0.000_1);
  expect(Math.abs(freed - freesTokens)).toBeLessThanOrEqual(0.05 * freesTokens + 50);
}

test("the forecast comes true, at that size or when the cache expires", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(steps({ most: 60 }), policies, windows, (script, changes, windowTokens) => {
      const session = play(script);
      const policy: Policy = { ...defaultPolicy, ...changes };
      const model = { ...rules, windowTokens };
      const { bySize, whenCold } = forecast(session.view, model, policy, session.nowMs);
      const now = firesAfter(session, 1, session.nowMs, model, policy);
      if (bySize) {
        const atTokens = bySize.atTokens - removedTokens(session, model, policy);
        const after = (tokens: number) => {
          const chars = charsFor(session, tokens, model, policy);
          return firesAfter(session, chars, session.nowMs, model, policy);
        };
        if (atTokens > now.usedTokens) {
          const before = after(atTokens - 1);
          if (!shortensIt(before.plan)) expect(before.plan).toBeNull();
        }
        const { plan, usedTokens } = after(atTokens);
        expect(usedTokens).toBe(atTokens);
        if (shortensIt(plan)) return;
        expectSame(plan, bySize);
        seen.add(`${policy.minFreed > 0} ${bySize.tier}`);
      } else {
        // Nothing is due, and nothing happens before the first limit of a tier.
        if (!shortensIt(now.plan)) expect(now.plan).toBeNull();
        const { effectiveTokens } = measure(session.view, model, policy, session.nowMs);
        const least = Math.min(policy.budgetAt, policy.summaryAt) * effectiveTokens;
        const room = (policy.balance === "save" ? Math.min(least, 65_000) : least) - now.usedTokens;
        for (const share of room > 0 ? [0.5, 0.99] : []) {
          const chars = Math.max(1, Math.floor(room * share * charsPerToken(session, model)));
          const { plan } = firesAfter(session, chars, session.nowMs, model, policy);
          if (!shortensIt(plan)) expect(plan).toBeNull();
        }
      }
      if (whenCold) {
        const { plan } = firesAfter(session, 1, whenCold.atMs, model, policy);
        expectSame(plan, whenCold);
        seen.add(`${policy.minFreed > 0} cold`);
      }
    }),
    { numRuns: 70, includeErrorInReport: true },
  );
  expect(seen.size).toBeGreaterThan(3);
});

test("a draft that reaches a limit is forecast as it will be sent", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      steps({ most: 60 }),
      policies,
      fc.constantFrom(12_000, 30_000, 60_000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (script, changes, windowTokens, share) => {
        const session = play(script);
        const policy: Policy = { ...defaultPolicy, ...changes };
        const model = { ...rules, windowTokens };
        const { usedTokens } = measure(session.view, model, policy, session.nowMs);
        const draft = Math.round(share * Math.max(0, windowTokens - usedTokens));
        const found = forecast(session.view, model, policy, session.nowMs, draft);
        if (found === forecast(session.view, model, policy, session.nowMs)) return;
        const { bySize } = found;
        const sent = usedTokens + draft - removedTokens(session, model, policy);
        const chars = charsFor(session, sent, model, policy);
        const { plan } = firesAfter(session, chars, session.nowMs, model, policy);
        if (shortensIt(plan)) return;
        const next = nextUp({ bySize, whenCold: null }, usedTokens + draft);
        if (next?.when !== "message") return expect(plan).toBeNull();
        expectSame(plan, next);
        expect(next.isEstimate).toBe(true);
        seen.add(next.tier);
      },
    ),
    { numRuns: 150, includeErrorInReport: true },
  );
  expect(seen.size).toBeGreaterThan(0);
});

test("a draft with which the cut that is due is not enough is forecast with what comes instead", () => {
  const session = begin("Read on.");
  for (let n = 0; n < 60; n++) {
    // Of the first six, all but the last are stale.
    const path = `/w/${Math.max(5, n)}.ts`;
    session.step(`c${n}`, prose(3_000), { stamps: [{ path, does: "read", hash: "", bytes: 9 }] });
  }
  session.answer([say("Done.")]);
  const policy: Policy = { ...defaultPolicy, ...bareRules, budgetAt: 1, budgetTightAt: 1 };
  const { usedTokens } = measure(session.view, rules, policy, session.nowMs);
  const model = { ...rules, windowTokens: Math.round((usedTokens / 0.87) * (8 / 7)) };
  const due = forecast(session.view, model, policy, session.nowMs).bySize;
  expect(due?.tier).toBe("snip");
  const { effectiveTokens } = measure(session.view, model, policy, session.nowMs);
  const room = 0.85 * effectiveTokens - (usedTokens - (due?.freesTokens ?? 0));
  const tierWith = (draft: number): string | undefined =>
    forecast(session.view, model, policy, session.nowMs, draft).bySize?.tier;
  const key = (draft: number) => forecastKey(session.view, model, policy, session.nowMs, draft);
  expect([Math.floor(room) - 1, Math.ceil(room) + 1].map(tierWith)).toEqual(["snip", "summary"]);
  expect(key(Math.floor(room) - 1)).toBe(key(Math.floor(room) - 2));
  expect(key(Math.floor(room) - 1)).not.toBe(key(Math.ceil(room) + 1));
});

/** Characters per token of user messages, as learned in the session. */
function charsPerToken(session: Builder, model: ModelRules): number {
  return session.view.tokenCounts.calibration.ratio("prose", model.charsPerToken);
}

test("the one event to show is the cut by size, or else the one of a cold cache", () => {
  const event = {
    tier: "snip",
    action: "drop 1 stale result",
    freesTokens: 9,
    usd: 0,
    isEstimate: false,
    asks: false,
  } as const;
  const bySize = { ...event, atTokens: 100 };
  const whenCold = { ...event, atMs: 5 };
  expect(nextUp({ bySize, whenCold }, 99)?.when).toEqual({ atTokens: 100 });
  expect(nextUp({ bySize, whenCold }, 100)?.when).toBe("message");
  const summary = { span: { from: "e2", to: "e9" }, isReady: false };
  const due = { bySize: { ...bySize, summary }, whenCold };
  expect(nextUp(due, 100)?.when).toBe("message");
  expect(nextUp(due, 100, true)?.when).toBe("written");
  expect(nextUp(due, 99, true)?.when).toEqual({ atTokens: 100 });
  expect(nextUp({ bySize: null, whenCold }, 100)?.when).toEqual({ atMs: 5 });
  expect(nextUp({ bySize: null, whenCold: null }, 100)).toBeNull();
});

test("for a cut that is already due, the forecast has the current reading", () => {
  const session = begin("Read on.");
  for (let n = 0; n < 20; n++) session.step(`c${n}`, prose(6_000));
  const first = session.path.find(({ type }) => type === "result");
  session.answer([think(prose(3_000)), say("On."), call("more")]);
  session.result("more", "More.");
  session.cut([{ kind: "replace", entry: first?.id ?? "", text: "(cut)" }], "snip");
  session.answer([say("Done.")]);
  const model = { ...rules, windowTokens: 36_000 };
  expect(session.view.staleThinking).toBe(true);
  expect(removedTokens(session, model, defaultPolicy)).toBeGreaterThan(100);
  const { bySize } = forecast(session.view, model, defaultPolicy, session.nowMs);
  const { usedTokens } = measure(session.view, model, defaultPolicy, session.nowMs);
  expect(bySize?.atTokens).toBe(usedTokens);
});

test("the user is asked before a summary if the setting says so, and never before clearing", () => {
  const session = begin("Read on.");
  for (let n = 0; n < 10; n++) session.step(`c${n}`, prose(800));
  for (let n = 0; n < 10; n++) {
    session.answer([say(prose(3_000))]);
    session.user("And then?");
  }
  session.answer([say("Done.")]);
  const asks = (autoCompact: Policy["autoCompact"]) => {
    const policy: Policy = { ...defaultPolicy, autoCompact };
    const { usedTokens } = measure(session.view, rules, policy, session.nowMs);
    const model = { ...rules, windowTokens: Math.round((usedTokens / 0.75) * (8 / 7)) };
    const { bySize, whenCold } = forecast(session.view, model, policy, session.nowMs);
    return [bySize, whenCold].map((event) => {
      const { tier, asks, isEstimate, summary } = event ?? {};
      return [tier, asks, isEstimate, summary?.isReady];
    });
  };
  const clear: ReturnType<typeof asks>[number] = ["microcompact", false, false, undefined];
  expect(asks("ask")).toEqual([["summary", true, true, false], clear]);
  expect(asks("on")).toEqual([["summary", false, true, false], clear]);
});

test("a summary is advised where each call reads so much that a few calls pay it back", () => {
  const session = new Builder();
  for (let n = 0; n < 90; n++) session.turn("Tell me more.", prose(20_000));
  const { usedTokens } = measure(session.view, rules, defaultPolicy, session.nowMs);
  expect(usedTokens).toBeGreaterThan(400_000);
  const at = (prices: typeof rules.prices) => {
    const model = { ...rules, windowTokens: 1_000_000, prices };
    return forecast(session.view, model, defaultPolicy, session.nowMs).pays;
  };
  expect(at(rules.prices)?.calls).toBeWithin(1, 6);
  // Where a call reads for less than five cents, little is to be saved.
  const reading = (usd: number) => ({ ...rules.prices, cacheRead: (usd * 1e6) / usedTokens });
  expect(at(reading(0.049))).toBeUndefined();
  expect(at(reading(0.051))).toBeDefined();
  const most = Array.from({ length: 60 }, (_, n) => at({ ...rules.prices, output: 4 * n }));
  expect(Math.max(...most.map((pays) => pays?.calls ?? 0))).toBe(5);
  expect(most.at(-1)).toBeUndefined();
});
