/** From any state and with any window, some request fits. */

import { bareRules } from "../bare-rules.ts";
import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { buildRequest } from "../../src/context/request.ts";
import { summaryLimits } from "../../src/context/summary/compose.ts";
import { noUsage } from "../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { brokenRules } from "./api-rules.ts";
import { Builder, countTokens, rules, say } from "./build.ts";
import { apply, readSignals } from "./compact.ts";
import { nextPlan } from "../../src/context/ladder.ts";
import { play, prose, steps } from "./sessions.ts";

const policies = fc.constantFrom<Policy>(defaultPolicy, { ...defaultPolicy, ...bareRules });

/** Cuts until the next request fits. Every summary is as long as it may be. */
function fit(session: Builder, windowTokens: number, policy: Policy) {
  const model = { ...rules, windowTokens, outputTokens: Math.min(8_000, windowTokens / 4) };
  for (const moment of ["turnStart", "beforeCall"] as const) {
    for (let cuts = 0; cuts < 40; cuts++) {
      const plan = nextPlan(moment, readSignals(session, model, policy));
      if (!plan) break;
      if ("summarize" in plan) {
        const { maxChars } = summaryLimits(session.view, plan.summarize, model, policy);
        session.cover(plan.summarize.from, plan.summarize.to, prose(Math.max(20, maxChars)));
      } else apply(session, plan);
    }
  }
  return { request: buildRequest(session.view, model, policy), model };
}

test("from any state, with any window from 4,096 tokens up, a request fits", () => {
  fc.assert(
    fc.property(
      steps({ most: 40 }),
      fc.integer({ min: 4_096, max: 60_000 }),
      policies,
      (script, windowTokens, policy) => {
        const session = play(script);
        session.user("Go on.");
        const { request } = fit(session, windowTokens, policy);
        expect(brokenRules(request.messages)).toEqual([]);
        expect(countTokens(request.messages)).toBeLessThan(windowTokens);
        expect(request.maxTokens).toBeGreaterThan(100);
      },
    ),
    { numRuns: 80, includeErrorInReport: true },
  );
});

test("a summary leaves room for the queued message, so that it is sent in full", () => {
  const session = new Builder();
  for (let turn = 0; turn < 2; turn++) {
    session.user(prose(27_000));
    session.answer([say("Read.")], { usage: noUsage });
  }
  session.user(prose(27_000));
  fit(session, 16_384, defaultPolicy);
  expect(session.view.cuts.map(({ tier }) => tier)).toEqual(["summary"]);
});

test("a summary is limited by the tokens that the session's own text takes", () => {
  const session = new Builder();
  const chars = 6_000;
  for (let turn = 1; turn <= 3; turn++) {
    session.user(prose(chars));
    // Two tokens for three characters, as in many languages.
    session.answer([say("Yes.")], {
      usage: { ...noUsage, input: (turn * chars) / 1.5, output: 4 },
    });
  }
  const model = { ...rules, windowTokens: 100_000 };
  const span = { from: "e2", to: "e7" };
  const { coveredChars, maxChars } = summaryLimits(session.view, span, model, defaultPolicy);
  expect(coveredChars).toBeLessThan(3 * chars * 1.5);
  expect(maxChars).toBeLessThan(coveredChars * 0.71);
});
