import { expect, test } from "bun:test";
import { countFailures, isBlocked, NearlyFull } from "../../../src/agent/compaction/throttle.ts";
import { measure } from "../../../src/context/meter/meter.ts";
import type { MeterReading } from "../../../src/context/types.ts";
import { project } from "../../../src/context/view/view.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import { defaultPolicy, type Policy } from "../../../src/protocol/policy.ts";
import { user } from "../../context/summary/say.ts";
import { rules } from "../scripted.ts";

const path = (...facts: Fact[]): Entry[] =>
  facts.map((fact, at) => ({
    id: `e${at + 1}`,
    parent: at === 0 ? null : `e${at}`,
    at: "",
    ...fact,
  }));

type Attempt = Extract<Fact, { type: "attempt" }>;
const attempt = (changes: Partial<Attempt> = {}): Fact => ({
  type: "attempt",
  outcome: "failed",
  by: "model",
  trigger: "auto",
  reason: "busy",
  usedTokens: 500,
  ...changes,
});
const price = { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null };
const summary = (by: "model" | "server" | "extract"): Fact => ({
  type: "cut",
  tier: "summary",
  trigger: "auto",
  reason: "",
  changes: [],
  price,
  summary: { by, turns: 1, instructionsPutBack: [], losses: [] },
});
const more = (count: number): Fact[] => Array.from({ length: count }, () => user("x"));

test("failures in a row: an extract in between changes nothing, and a stop is not a failure", () => {
  expect(countFailures(path(...more(3)), "model")).toEqual({ count: 0, lastRow: -1 });
  const failed = path(attempt(), summary("extract"), attempt(), attempt({ outcome: "stopped" }));
  expect(countFailures(failed, "model")).toEqual({ count: 2, lastRow: 2 });
  expect(countFailures(failed, "server").count).toBe(0);
});

test.each([
  ["a summary of its own", summary("model")],
  ["a summary that the user did not want", attempt({ outcome: "declined" })],
])("%s ends a series of failures", (_, success) => {
  expect(countFailures(path(attempt(), attempt(), success, attempt()), "model").count).toBe(1);
});

test("a manual attempt starts a new series of failures", () => {
  const failed = path(attempt(), attempt(), attempt({ trigger: "key" }), attempt());
  expect(countFailures(failed, "model").count).toBe(2);
});

test("the breaker opens at the last allowed failure, until the path has grown by half", () => {
  const failed = [...more(9), attempt(), attempt(), attempt()];
  expect(isBlocked(path(...failed.slice(0, -1)), "model", 3)).toBe(false);
  const blocked = [0, 5, 6].map((rows) => isBlocked(path(...failed, ...more(rows)), "model", 3));
  expect(blocked).toEqual([true, true, false]);
  expect(isBlocked(path(...failed), "server", 3)).toBe(false);
});

test("a refusal blocks until a manual attempt succeeds", () => {
  const refused = [attempt({ by: "server", outcome: "refused" }), ...more(50)];
  expect(isBlocked(path(...refused), "server", 3)).toBe(true);
  expect(isBlocked(path(...refused, summary("server")), "server", 3)).toBe(false);
});

const reading = (changes: Partial<MeterReading>): MeterReading => ({
  ...measure(project(path(user("x"))), rules, defaultPolicy, 0),
  ...changes,
});

const policy = (changes: Partial<Policy> = {}): Policy => ({
  ...defaultPolicy,
  summaryAt: 0.85,
  autoCompact: "on",
  compaction: "on",
  ...changes,
});

/** A summary, which is due above 85 % of 1,000 tokens. */
const summaryNext =
  (asks = false) =>
  () => ({
    tier: "summary" as const,
    action: "summarize 6 turns",
    freesTokens: 500,
    usd: 0,
    isEstimate: true,
    asks,
    atTokens: 851,
  });
const filled = (utilization: number, changes: Partial<MeterReading> = {}): MeterReading =>
  reading({ utilization, usedTokens: utilization * 1_000, effectiveTokens: 1_000, ...changes });

test("the warning comes once, from 5 % below the summary, and again after the context was smaller", () => {
  const near = new NearlyFull();
  const warns = (utilization: number): boolean =>
    near.warning(filled(utilization), policy(), summaryNext()) !== null;
  expect([0.79, 0.801, 0.84, 0.79, 0.82].map(warns)).toEqual([false, true, false, false, true]);
});

const warnings: [changes: Partial<Policy>, utilization: number, said: string][] = [
  [
    {},
    0.82,
    "The context is 82 % full. The next turn begins with a summary if more than 85 % is full by then. To choose",
  ],
  [{}, 0.851, "The context is 85 % full. The next turn begins with a summary. To choose"],
  [{}, 0.9, "The context is 90 % full. The next turn begins with a summary. To choose"],
  [
    { autoCompact: "ask" },
    0.85,
    "The next turn asks for a summary if more than 85 % is full by then.",
  ],
  [
    { autoCompact: "off" },
    0.82,
    "full (0 tokens are left) and automatic summaries are off. To choose",
  ],
  [
    { compaction: "off" },
    0.82,
    "and automatic summaries are off. Only content that no longer fits will be removed.",
  ],
];

test.each(warnings)("with %j at %d the warning is %j", (changes, utilization, said) => {
  const at = filled(utilization, { leftTokens: -5 });
  const next = summaryNext(changes.autoCompact === "ask");
  expect(new NearlyFull().warning(at, policy(changes), next)).toContain(said);
});

test("no summary is announced if clearing comes first", () => {
  const clears = () => ({ ...summaryNext()(), tier: "microcompact" as const });
  expect(new NearlyFull().warning(filled(0.84), policy(), clears)).toBeNull();
});
