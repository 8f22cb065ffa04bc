import { expect, test } from "bun:test";
import { Budget, type BudgetOptions } from "../../src/agent/budget.ts";
import type { Answer } from "../../src/protocol/command.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { answer, at, sessionWith } from "../facts.ts";
import { instantClock } from "../instant-clock.ts";
import { openSession } from "./compaction/harness.ts";
import { rules } from "./scripted.ts";
import { MemoryLog } from "./memory-log.ts";

const prices = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };

async function open(options: Partial<BudgetOptions>, ...answers: Answer[]) {
  const spending = { usd: 0 };
  const session = await openSession({
    log: new MemoryLog(),
    policy: defaultPolicy,
    rules: { ...rules, prices },
    clock: instantClock(() => Date.parse(at) + 3_600_000),
    spending,
  });
  await session.append(sessionWith());
  await session.append(
    answer({ input: 50_000, cacheRead: 0, cacheWrite: 0, output: 0 }, [
      { type: "text", text: "a" },
    ]),
  );
  spending.usd = 0;
  const budget = new Budget({
    caps: {},
    spending,
    sessionUsd: 0,
    elsewhere: async () => ({ day: 0, project: 0 }),
    isAttended: true,
    ...options,
  });
  const asked: string[] = [];
  const approvals = {
    ask: async ({ detail }: { detail: string }) => {
      asked.push(detail);
      return answers.shift() ?? { allow: false as const };
    },
  };
  return {
    budget,
    spending,
    asked,
    session,
    /** How the turn ends before the next call; null: it goes on. */
    async check() {
      const events = budget.check(session, approvals);
      for (;;) {
        const { value, done } = await events.next();
        if (done) return value?.message ?? null;
      }
    },
  };
}

test("nothing is asked without a cap, or while the next call stays below it", async () => {
  const none = await open({});
  expect(await none.check()).toBeNull();
  const far = await open({ caps: { session: 5 } });
  far.spending.usd = 4;
  expect([await far.check(), far.asked]).toEqual([null, []]);
});

test("the user is asked before the cap is passed, not after", async () => {
  const { spending, asked, check } = await open({ caps: { session: 5 } });
  spending.usd = 4.95;
  expect(await check()).toBe(
    "The budget for this session is $5.00; $4.95 is spent. /budget raises it.",
  );
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("The next call costs about $0.2");
});

test("allowed once it is raised by itself, for the session it is lifted", async () => {
  const { budget, session, spending, check } = await open(
    { caps: { session: 5 } },
    { allow: true, scope: "once" },
    { allow: true, scope: "session" },
  );
  spending.usd = 4.99;
  expect(await check()).toBeNull();
  expect(budget.state).toEqual([{ scope: "session", capUsd: 10, spentUsd: 4.99 }]);
  spending.usd = 9.99;
  expect(await check()).toBeNull();
  expect(budget.state).toEqual([]);
  // A turn's time leaves out what passed before a note of this kind.
  const notes = session.log.path.flatMap((entry) => (entry.type === "note" ? [entry.kind] : []));
  expect(notes).toEqual(["permission", "permission"]);
});

test("what other sessions cost counts toward the day and the project", async () => {
  const { asked, check } = await open({
    caps: { session: 100, day: 5, project: 50 },
    sessionUsd: 90,
    elsewhere: async () => ({ day: 4.95, project: 20 }),
  });
  expect(await check()).toContain("The budget for today is $5.00; $4.95 is spent.");
  expect(asked).toHaveLength(1);
});

test("where nobody can be asked, the run ends once the cap is reached", async () => {
  const { spending, asked, check } = await open({ caps: { session: 5 }, isAttended: false });
  spending.usd = 4.99;
  expect(await check()).toBeNull();
  spending.usd = 5;
  expect(await check()).toContain("$5.00 is spent");
  expect(asked).toEqual([]);
});

test("subagents that call at once are asked about once", async () => {
  const { spending, asked, check } = await open(
    { caps: { session: 5 } },
    { allow: true, scope: "session" },
  );
  spending.usd = 5;
  expect(await Promise.all([check(), check(), check()])).toEqual([null, null, null]);
  expect(asked).toHaveLength(1);
});
