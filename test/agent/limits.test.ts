import { expect, test } from "bun:test";
import { Session } from "../../src/agent/session.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { answer, makeReport } from "../facts.ts";
import { MemoryLog } from "./memory-log.ts";
import { rules } from "./scripted.ts";
import { limitReached } from "../../src/agent/limits.ts";

const limits = { maxCalls: 2, maxUsd: 0.5 };

test.each([
  [{ calls: 1, usd: 0.49 }, true, null],
  [{ calls: 2, usd: 0.49 }, false, null],
  [{ calls: 2, usd: 0.49 }, true, "The limit of 2 calls is reached."],
  [{ calls: 1, usd: 0.5 }, false, "The run has cost $0.5000; the limit is $0.5."],
  [{ calls: 2, usd: 0.5 }, true, "The run has cost $0.5000; the limit is $0.5."],
])("%j, another call follows: %p", (spent, continues, message) => {
  expect(limitReached(limits, spent, continues)?.message ?? null).toBe(message);
});

test("the end names its limit; without limits there is none", () => {
  expect(limitReached(limits, { calls: 9, usd: 0 }, true)?.limit).toBe("turns");
  expect(limitReached(limits, { calls: 9, usd: 9 }, true)?.limit).toBe("budget");
  expect(limitReached({}, { calls: 1e6, usd: 1e6 }, true)).toBeNull();
  expect(limitReached({ maxCalls: 1 }, { calls: 1, usd: 0 }, true)?.message).toContain("1 call ");
});

test("a session and its subagents share a budget, and each call counts once", async () => {
  const spending = { usd: 0 };
  const session = () => new Session(new MemoryLog(), defaultPolicy, rules, () => 0, spending);
  const parent = session();
  const child = session();
  const usage = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  await parent.append(answer(usage));
  const one = parent.spentUsd;
  expect(one).toBeGreaterThan(0);
  await child.append(answer(usage));
  expect([parent.spentUsd, child.spentUsd]).toEqual([2 * one, 2 * one]);
  const subagent = { session: "s", type: "a", model: "m", calls: 1, usage, usd: one };
  await parent.append(makeReport({ subagent }));
  await parent.append({
    type: "context",
    kind: "reminder",
    title: "report",
    content: [],
    subagent,
  });
  expect(parent.spentUsd).toBe(2 * one);
  await parent.append(makeReport({ spent: { model: "m", usage, usd: 1 } }));
  expect(child.spentUsd).toBe(2 * one + 1);
});
