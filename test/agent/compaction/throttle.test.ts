import { expect, test } from "bun:test";
import { Breaker, Declined, NearlyFull } from "../../../src/agent/compaction/throttle.ts";
import { measure } from "../../../src/context/meter.ts";
import type { MeterReading, View } from "../../../src/context/types.ts";
import { project } from "../../../src/context/view.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { user } from "../../context/summary/say.ts";
import { rules } from "../scripted.ts";

const viewOf = (rows: number): View =>
  project(
    Array.from({ length: rows }, (_, at): Entry => {
      const parent = at === 0 ? null : `e${at}`;
      return { id: `e${at + 1}`, parent, at: "", ...user("x") };
    }),
  );
const base = measure(viewOf(1), rules, defaultPolicy, 0);
const reading = (changes: Partial<MeterReading>): MeterReading => ({ ...base, ...changes });

test("the breaker opens at the last allowed failure and closes when told", () => {
  const breaker = new Breaker(3);
  const view = viewOf(12);
  expect([breaker.fail(view), breaker.fail(view)]).toEqual([false, false]);
  expect(breaker.isOpen(view)).toBe(false);
  expect(breaker.fail(view)).toBe(true);
  expect(breaker.isOpen(view)).toBe(true);
  expect(breaker.fail(view)).toBe(false);
  breaker.close();
  expect(breaker.isOpen(view)).toBe(false);
});

test("an open breaker lets one try after the context changed by half", () => {
  const breaker = new Breaker(1);
  breaker.fail(viewOf(12));
  const open = [7, 8, 9, 12, 17, 18, 19].map((rows) => breaker.isOpen(viewOf(rows)));
  expect(open).toEqual([false, false, true, true, true, false, false]);
});

test("a declined summary is proposed again after a change of 5 % of the window", () => {
  const at = (usedTokens: number) => reading({ usedTokens, effectiveTokens: 1_000 });
  const declined = new Declined();
  expect(declined.holds(at(500))).toBe(false);
  declined.note(at(500));
  expect([declined.holds(at(549)), declined.holds(at(451))]).toEqual([true, true]);
  expect(declined.holds(at(550))).toBe(false);
  expect(declined.holds(at(500))).toBe(false);
  declined.note(at(500));
  expect(declined.holds(at(450))).toBe(false);
});

const policy = (changes: Partial<Policy> = {}): Policy => ({
  ...defaultPolicy,
  summaryAt: 0.85,
  autoCompact: "on",
  compaction: "on",
  ...changes,
});

test("the warning comes once, from 5 % below the summary, and again after the context was smaller", () => {
  const near = new NearlyFull();
  const warns = (utilisation: number): boolean =>
    near.warning(reading({ utilisation }), policy()) !== null;
  expect([0.79, 0.801, 0.84, 0.79, 0.82].map(warns)).toEqual([false, true, false, false, true]);
});

const warnings: [changes: Partial<Policy>, utilisation: number, said: string][] = [
  [
    {},
    0.82,
    "The context is 82 % full. Above 85 %, the next turn begins with a summary. To choose",
  ],
  [{}, 0.9, "The context is 90 % full. The next turn begins with a summary. To choose"],
  [{ autoCompact: "ask" }, 0.85, "Above 85 %, the next turn asks for a summary."],
  [
    { autoCompact: "off" },
    0.82,
    "full (0 tokens are left) and automatic summaries are off. To choose",
  ],
  [
    { compaction: "off" },
    0.82,
    "and automatic summaries are off. Only what no longer fits will be cut.",
  ],
];

test.each(warnings)("with %j at %d the warning is %j", (changes, utilisation, said) => {
  const at = reading({ utilisation, leftTokens: -5 });
  expect(new NearlyFull().warning(at, policy(changes))).toContain(said);
});
