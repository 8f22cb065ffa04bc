/** The estimated price of the next prompt against what the call was billed. */

import { expect, test } from "bun:test";
import { costEstimates, estimatePrompt } from "../../../src/context/meter/estimate-cost.ts";
import { callCost } from "../../../src/protocol/model.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import { project } from "../../../src/context/view/view.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, call, countTokens, rules, say } from "../build.ts";
import { prose } from "../sessions.ts";

/** Of nothing. */
const { breakdown: none } = measure(project([]), rules, defaultPolicy, 0);

test("prompts are billed about as estimated", () => {
  const session = new Builder();
  /** Bills as a prompt cache does: what the previous call sent is read, what is new is written. */
  let sent = 0;
  const usage = () => {
    const tokens = countTokens(session.view.messages);
    const billed = { input: 3, cacheRead: sent, cacheWrite: tokens - sent - 3, output: 9 };
    sent = tokens;
    return { usage: billed };
  };
  session.user(prose(20_000));
  for (let n = 0; n < 20; n++) {
    session.answer([say(`Step ${n}.`), call(`c${n}`)], usage());
    session.result(`c${n}`, prose(1_500));
  }
  session.answer([say("Done.")], usage());
  const estimate = costEstimates(rules, defaultPolicy, () => rules.prices);
  let calls = 0;
  let sum = 0;
  let billed = 0;
  for (const entry of session.path) {
    const usd = estimate(entry);
    if (usd === null || entry.type !== "assistant" || calls++ === 0) continue;
    sum += usd;
    billed += callCost({ ...entry.usage, output: 0 }, rules.prices);
  }
  expect(calls).toBe(21);
  expect(Math.abs(sum / billed - 1)).toBeLessThan(0.1);
});

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

test.each([
  [0, true],
  [1, false],
])("an answer that is billed %d tokens has no estimate: %p", (input, hasNone) => {
  const session = new Builder();
  session.user("Go.");
  session.answer([say("Done.")], { usage: { input, cacheRead: 0, cacheWrite: 0, output: 0 } });
  const estimate = costEstimates(rules, defaultPolicy, () => rules.prices);
  const [usd = 0] = session.path.map((entry) => estimate(entry)).slice(-1);
  expect(usd === null).toBe(hasNone);
});
