/** Which tier acts when, and that the pipeline terminates. */

import { bareRules } from "../bare-rules.ts";
import { expect, test } from "bun:test";
import fc from "../properties.ts";
import { priceRestore } from "../../src/context/meter/cache.ts";
import { effectiveWindow } from "../../src/context/meter/meter.ts";
import { clearPlan, nextPlan, summaryPlan } from "../../src/context/ladder.ts";
import type { Plan } from "./types.ts";
import type { TierName } from "../../src/protocol/entry.ts";
import { noUsage, type ModelRules } from "../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { begin, Builder, call, rules, say, think } from "./build.ts";
import { apply, read, readSignals } from "./compact.ts";
import { live, listProtected, openExchange, touched } from "./live.ts";
import { play, prose, reads, steps } from "./sessions.ts";
import { stamp } from "./summary/say.ts";

const table: Policy = { ...defaultPolicy, ...bareRules };
const policies = fc.constantFrom<Policy>(table, defaultPolicy, {
  ...table,
  compaction: "off",
});
const engines = fc.constantFrom<Policy>(table, defaultPolicy, {
  ...defaultPolicy,
  engine: "client",
});
const windows = fc.constantFrom(12_000, 30_000, 60_000, 200_000);
const runs = { numRuns: 50 };

/** Tokens by which the next request would not fit. */
const excess = ({ path, nowMs }: Builder, model: ModelRules, policy: Policy): number =>
  priceRestore(path, { cut: "" }, model, policy, nowMs).excessTokens;

const isLastResort = (plan: Plan): boolean =>
  plan.tier === "budget" && plan.reason.includes("too large");

const byNumber = (a: number, b: number): number => a - b;

test("the pipeline ends, every cut frees tokens, and none touches what is protected", () => {
  fc.assert(
    fc.property(steps(), policies, windows, (script, policy, windowTokens) => {
      const session = play(script);
      const model = { ...rules, windowTokens };
      for (const moment of ["turnStart", "beforeCall"] as const) {
        for (;;) {
          const now = readSignals(session, model, policy);
          const plan = nextPlan(moment, now);
          if (!plan) break;
          const safe = listProtected(session.view, policy.keepResults);
          if (!isLastResort(plan)) for (const id of touched(plan)) expect(safe).not.toContain(id);
          const rows = touched(plan).map((id) => session.view.indexOf(id) ?? -1);
          if (!plan.reason.includes("too large")) expect(rows).toEqual(rows.toSorted(byNumber));
          if ("summarize" in plan) {
            const end = session.view.indexOf(plan.summarize.to) ?? 0;
            if (session.view.midLoop) expect(end).toBeLessThan(openExchange(session.view));
          }
          const { rejected } = session.view;
          const rejectedBefore = rejected.length;
          apply(session, plan);
          expect(session.view.rejected.length).toBe(rejectedBefore);
          expect(read(session, model, policy).usedTokens).toBeLessThan(now.reading.usedTokens);
        }
      }
    }),
    runs,
  );
});

test.each([
  ["in a plain session, where thinking is dropped only after forced cuts", true],
  ["whatever is edited, restored, pinned, repaired, rewound or switched", false],
])("no request is refused %s", (_, plain) => {
  fc.assert(
    fc.property(steps({ plain, most: 60 }), engines, windows, (all, policy, windowTokens) => {
      const script = all.filter((step) => step.do !== "corrupt");
      const life = live(script, policy, { ...rules, windowTokens });
      expect(life.refused).toEqual([]);
      if (plain && windowTokens > 30_000) expect(life.droppedInVain).toBe(0);
    }),
    { numRuns: 45 },
  );
});

const planCuts = (session: Builder, policy: Policy, windowTokens: number): Plan | null => {
  const model = { ...rules, windowTokens };
  return nextPlan("turnStart", readSignals(session, model, policy));
};

test("a cold cache is cleared in one event, whatever the size", () => {
  const session = reads(20, 3_000, { tool: "Bash" });
  expect(planCuts(session, defaultPolicy, 1_000_000)).toBeNull();
  session.wait(6 * 60_000);
  const plan = planCuts(session, defaultPolicy, 1_000_000);
  expect(plan).toMatchObject({
    tier: "microcompact",
    reason: "clear 17 old results: the cache is cold",
    price: { usd: 0 },
  });
  if (plan) apply(session, plan);
  expect(planCuts(session, defaultPolicy, 1_000_000)).toBeNull();
});

test("where no cache is broken, a cut is made that frees 1,000 tokens, and says what of", () => {
  const seen = new Set<boolean>();
  for (let chars = 2_200; chars < 3_400; chars += 40) {
    const session = begin("Mend it.");
    const input = { file_path: "/w/a", old_string: prose(600), new_string: "x" };
    const stamps = [stamp("/w/a", "write")];
    session.step("e", prose(chars), { tool: "Edit", input, stamps });
    for (const id of ["a", "b", "c"]) session.step(id, "short", { tool: "Bash" });
    session.answer([say("Done.")]);
    session.wait(6 * 60_000);
    session.user("And now?");
    const plan = planCuts(session, defaultPolicy, 1_000_000);
    const whole = planCuts(session, { ...defaultPolicy, minFreed: 0 }, 1_000_000);
    const { usedBefore = 0, usedAfter = 0 } = whole?.price ?? {};
    expect(whole?.action).toBe("clear 1 old result and 1 long input");
    expect(plan !== null).toBe(usedBefore - usedAfter >= 1_000);
    seen.add(plan !== null);
  }
  expect(seen.size).toBe(2);
});

/** Large output, a file that was read twice, searches, and what is not old enough to be cut. */
function mixed(): Builder {
  const session = begin("Look.");
  session.step("stale", prose(40_000), { stamps: [stamp("/w/a", "read")] });
  session.step("large", prose(40_000), { tool: "Web" });
  for (let n = 0; n < 4; n++) session.step(`g${n}`, prose(9_000), { tool: "Grep" });
  session.step("fresh", prose(9_000), { stamps: [stamp("/w/a", "read")] });
  for (let n = 0; n < 3; n++) session.step(`c${n}`, prose(9_000), { tool: "Bash" });
  session.next();
  return session;
}

test("a cut that is due, but frees too little for the request to fit, gives way to a forced one", () => {
  const session = mixed();
  session.user(prose(200_000));
  const model = { ...rules, windowTokens: 60_000 };
  const plan = nextPlan("turnStart", readSignals(session, model, table));
  expect(plan?.reason).toContain("too large");
});

test("a result that two tiers would cut is left to the later one", () => {
  const session = mixed();
  const stale = session.path.find((entry) => entry.type === "result" && entry.toolUse === "stale");
  const plan = planAtShare(session, 0.75, table);
  const changes = plan && "changes" in plan ? plan.changes : [];
  expect(plan && touched(plan).slice(0, 2)).toEqual(["e4", "e6"]);
  expect(changes.filter((change) => "entry" in change && change.entry === stale?.id)).toMatchObject(
    [{ kind: "replace", text: expect.stringMatching(/^\[snipped/) }],
  );
});

/** The plan when the session fills a share of the effective window. */
function planAtShare(session: Builder, share: number, policy: Policy = defaultPolicy): Plan | null {
  const { usedTokens } = read(session, rules, policy);
  return planCuts(session, policy, Math.round((usedTokens / share) * (8 / 7)));
}

test("in a window of 1,000,000 tokens nothing is cut below 490,000 while the cache is hot", () => {
  const session = mixed();
  const plan = (usedTokens: number): Plan | null => {
    const model = { ...rules, windowTokens: 1_000_000 };
    const utilization = usedTokens / effectiveWindow(model, table);
    const now = readSignals(session, model, table, { usedTokens, utilization });
    return nextPlan("turnStart", now);
  };
  expect(plan(489_999)).toBeNull();
  expect(plan(490_000)?.reason).toBe("trim 2 large results: 50 % used");
});

test("in a hot cache a cut waits until it frees a twentieth of the window", () => {
  const session = mixed();
  const before = read(session, rules, defaultPolicy).usedTokens;
  const freed = (plan: Plan | null): number =>
    plan ? (plan.price.usedBefore - plan.price.usedAfter) / before : 0;
  expect(freed(planAtShare(session, 0.61)) * 0.61).toBeGreaterThan(0.05);
  const small = begin("Look.");
  for (let n = 0; n < 4; n++) small.step(`g${n}`, prose(1_000), { tool: "Grep" });
  for (let n = 0; n < 20; n++) small.answer([say(prose(9_000))]);
  small.next();
  expect(planAtShare(small, 0.8)).toBeNull();
  const { action } = planAtShare(small, 0.8, { ...table, keepSearches: 3 }) ?? {};
  expect(action).toBe("drop 1 stale result");
});

test("at 85 % old results are cleared where that frees a quarter of the window, else a summary comes", () => {
  expect(planAtShare(reads(20, 4_000, { tool: "Bash" }), 0.88)?.tier).toBe("microcompact");
  const words = begin("Talk.");
  words.step("a", prose(6_000), { tool: "Bash" });
  for (let n = 0; n < 20; n++) words.step(`c${n}`, "short", { tool: "Bash" });
  for (let n = 0; n < 20; n++) {
    words.answer([say(prose(4_000))]);
    words.user("And then?");
  }
  expect(planAtShare(words, 0.88)?.tier).toBe("summary");
  expect(planAtShare(words, 0.86, table)?.tier).toBe("snip");
  expect(planAtShare(reads(20, 4_000, { tool: "Bash" }), 0.88, table)?.tier).toBe("snip");
});

test("in a hot cache the next cut waits for a higher mark, until a clear", () => {
  const policy = { ...defaultPolicy, minFreed: 0.005, keepResults: 1 };
  const model = { ...rules, windowTokens: 100_000 };
  const session = begin();
  const cuts: { tier: TierName; at: number }[] = [];
  for (let n = 0; n < 60; n++) {
    session.step(`a${n}`, prose(9_000), { tool: "Web" });
    session.answer([say(prose(2_000))]);
    session.user("And now?");
    const plan = nextPlan("turnStart", readSignals(session, model, policy));
    if (!plan || !("changes" in plan)) continue;
    cuts.push({ tier: plan.tier, at: read(session, model, policy).utilization });
    apply(session, plan);
  }
  const marks = [policy.budgetAt, policy.snipAt, policy.budgetTightAt];
  const markOf = (at: number): number => marks.filter((mark) => mark <= at).length;
  for (const [index, { tier, at }] of cuts.entries()) {
    const since = cuts.slice(
      cuts.slice(0, index).findLastIndex((cut) => cut.tier !== "budget") + 1,
      index,
    );
    if (tier === "budget")
      for (const before of since) expect(markOf(at)).toBeGreaterThan(markOf(before.at));
  }
  const tiers = cuts.map(({ tier }) => tier);
  expect(tiers.lastIndexOf("budget")).toBeGreaterThan(tiers.indexOf("microcompact"));
  expect(new Set(tiers)).toEqual(new Set(["budget", "microcompact"]));
});

test("after the cut of a boundary no other is due, and after a clear there is nothing to clear", () => {
  fc.assert(
    fc.property(steps({ most: 60 }), policies, windows, (script, policy, windowTokens) => {
      const session = play(script);
      const now = () => readSignals(session, { ...rules, windowTokens }, policy);
      session.user("Go on.");
      const plan = nextPlan("turnStart", now());
      if (plan && "changes" in plan && !plan.reason.includes("too large")) {
        apply(session, plan);
        const next = nextPlan("turnStart", now());
        if (next) expect("summarize" in next).toBe(true);
      }
      const clear = clearPlan(now());
      if (clear) apply(session, clear);
      expect(clearPlan(now())).toBeNull();
    }),
    runs,
  );
});

test("before a call nothing is cut if the request fits; at a turn's end nothing ever is", () => {
  const session = reads(20, 6_000);
  const model = { ...rules, windowTokens: 48_000 };
  const now = readSignals(session, model, table);
  expect(now.reading.utilization).toBeGreaterThan(0.85);
  expect(nextPlan("beforeCall", now)).toBeNull();
  const small = { ...rules, windowTokens: 20_000 };
  expect(nextPlan("turnEnd", readSignals(session, small, table))).toBeNull();
});

test("on request, a session of one turn is summarized whole once it has ended", () => {
  const session = new Builder();
  const requested = () => summaryPlan(readSignals(session, rules, table));
  session.step("c1", prose(9_000));
  expect(requested()).toBeNull();
  session.rewind(1);
  session.turn("Explain it.", prose(9_000));
  const span = { from: session.path.at(-2)?.id, to: session.path.at(-1)?.id };
  expect(requested()).toMatchObject({ summarize: span });
});

test.each([
  ["the older turns", "is at least half of both", 2_000, "e3"],
  ["the older turns and the newest message", "is less than half of both", 2_200, "e4"],
])("a summary by hand covers %s when what is older %s", (_, __, newest, last) => {
  const session = new Builder();
  session.user("x".repeat(1_000));
  session.answer([say("x".repeat(1_000))], { usage: noUsage });
  session.user("x".repeat(newest));
  session.answer([say("Done.")], { usage: noUsage });
  const plan = summaryPlan(readSignals(session, rules, table));
  expect(plan).toMatchObject({ summarize: { from: "e2", to: last } });
});

test("a picked range is summarized to its end, although a summary of most of it is ready", () => {
  const session = reads(9, 3_000);
  session.attempt({ draft: { span: { from: "e2", to: "e16" }, text: "Intent: read on." } });
  const plan = summaryPlan(readSignals(session, rules, table), { to: "e20" });
  expect(plan).toMatchObject({ summarize: { from: "e2", to: "e20" } });
  expect(plan).not.toHaveProperty("draft");
});

test("a summary is not summarized again while nothing was added", () => {
  const session = reads(20, 6_000);
  session.cover("e2", "e43", prose(60_000));
  for (const more of ["And then?", "And now?"]) {
    session.next(more);
  }
  const reading = read(session, { ...rules, windowTokens: 24_000 }, table);
  expect(reading.utilization).toBeGreaterThan(0.85);
  expect(planCuts(session, table, 24_000)).toBeNull();
});

/** A turn that was interrupted after a call, and the next prompt. */
function interrupted(thinks: boolean): Builder {
  const session = reads(8, 9_000);
  session.answer([think(), say("This.")]);
  session.user("Go on.");
  session.answer([...(thinks ? [think()] : []), call("open")]);
  session.result("open", "Stopped by the user.", { isError: true });
  session.user("Do it otherwise.");
  session.wait(6 * 60_000);
  return session;
}

test("an interrupted loop is only cut if the window requires it, because its thinking would be dropped", () => {
  const model = { ...rules, windowTokens: 200_000 };
  const plan = (session: Builder, one = model) =>
    nextPlan("turnStart", readSignals(session, one, table));
  expect(plan(interrupted(true))).toBeNull();
  expect(plan(interrupted(false))?.tier).toBe("microcompact");
  expect(plan(interrupted(true), { ...model, thinking: "free" })?.tier).toBe("microcompact");
  expect(plan(interrupted(true), { ...model, windowTokens: 24_000 })).not.toBeNull();
});

test.each([
  [4_096, 512],
  [16_384, 2_048],
  [65_536, 8_192],
  [1_000_000, 8_192],
])("a window of %d tokens keeps %d for an answer", (windowTokens, room) => {
  const model = { ...rules, windowTokens, outputTokens: 64_000 };
  const session = new Builder();
  session.turn(prose(2_000), "Read.");
  const { usedTokens } = read(session, model, table);
  expect(excess(session, model, table)).toBe(usedTokens + room - windowTokens);
  const brief = { ...model, outputTokens: 300 };
  expect(excess(session, brief, table)).toBe(usedTokens + 300 - windowTokens);
  session.user(prose(2_000));
  const { usedTokens: more, errorTokens } = read(session, model, table);
  const error = Math.min(errorTokens, windowTokens / 10);
  expect(excess(session, model, table)).toBe(more + error + room - windowTokens);
});
