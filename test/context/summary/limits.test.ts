/** How long a summary may be, including everything that is kept beside it. */

import { expect, test } from "bun:test";
import { summaryLimits } from "../../../src/context/summary/compose.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, rules, say } from "../build.ts";
import { prose } from "../sessions.ts";

/** A span of `covered` characters and a turn of `newest` after it, in a window of so many tokens. */
function limits(covered: number, newest: number, windowTokens: number, pins = false) {
  const one = new Builder();
  one.user("Begin.");
  const answer = one.answer([say(prose(covered))]);
  one.user(prose(newest));
  if (pins) one.add({ type: "pin", entry: answer.id, on: true });
  const span = { from: "e2", to: answer.id };
  const { coveredChars, maxChars } = summaryLimits(
    one.view,
    span,
    { ...rules, windowTokens },
    defaultPolicy,
  );
  // In tokens, like the windows.
  return { covered: coveredChars / 3.8, most: maxChars / 3.8 };
}

test("seven tenths of what it replaces", () => {
  const { covered, most } = limits(31_000, 9, 1_000_000);
  expect(covered).toBeWithin(9_900, 10_200);
  expect(most / covered).toBeCloseTo(0.7, 3);
});

test("four tenths of the window without its reserve", () => {
  const { most } = limits(310_000, 9, 100_000);
  expect(most).toBeWithin(0.4 * 87_500 - 5, 0.4 * 87_500 + 1);
});

test("what the newest turn leaves of the window, but a tenth of it at least", () => {
  const windowTokens = 40_000;
  const effective = 35_000;
  const { most } = limits(60_000, 60_000, windowTokens);
  const newest = 60_000 / 3.8;
  expect(most).toBeWithin(
    effective - windowTokens * 0.1 - newest - 2_000,
    effective - windowTokens * 0.1 - newest,
  );
  expect(limits(60_000, 120_000, windowTokens).most).toBeWithin(
    0.1 * effective - 2,
    0.1 * effective + 1,
  );
});

test("what is pinned stays, and is not replaced", () => {
  expect(limits(31_000, 9, 1_000_000, true).covered).toBeLessThan(20);
});
