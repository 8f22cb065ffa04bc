import { expect, test } from "bun:test";
import { rulesFor } from "../../src/context/rules/window.ts";
import { isWorthSummary } from "../../src/context/tiers/summary.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import type { View } from "../../src/context/types.ts";
import { Builder, rules, say } from "./build.ts";
import { read } from "./compact.ts";

test.each([
  [1_000_000, 1_000, false],
  [1_000_000, 1_001, true],
  [19_000, 950, false],
  [19_000, 951, true],
])("of %d usable tokens, a summary of %d is worth it: %p", (effectiveTokens, tokens, isWorth) => {
  const one = new Builder();
  const { id: from } = one.user("Go.");
  const { id: to } = one.answer([say("Done.")]);
  const reading = { ...read(one, rules, defaultPolicy), effectiveTokens };
  const countedTokens = (row: number): number => (row === 1 ? 100 : tokens - 100);
  const view: View = Object.create(one.view, {
    rows: { value: [...one.view.rows] },
    tokenCounts: { value: { countedTokens } },
  });
  const now = { view, reading, policy: defaultPolicy, rules };
  expect(isWorthSummary(now, { from, to })).toBe(isWorth);
});

test.each([
  ["smaller than the known one", { tokens: 9_000, known: rules.windowTokens }, 9_000],
  ["of an old log", { tokens: 9_000, known: null }, 9_000],
  ["larger", { tokens: 90_000, known: rules.windowTokens }, rules.windowTokens],
  ["from before the setting was changed", { tokens: 9_000, known: 30_000 }, rules.windowTokens],
])("with a reported window %s, %p, the window has %d tokens", (_, reportedWindow, tokens) => {
  expect(rulesFor({ reportedWindow }, rules).windowTokens).toBe(tokens);
});
