/** An ordinary long session under the default policy: every tier acts, and gives a reason. */

import { expect, test } from "bun:test";
import { measure } from "../../src/context/meter/meter.ts";
import { nextPlan } from "../../src/context/ladder.ts";
import { asksFirst } from "../../src/context/tiers/summary.ts";
import { buildRequest } from "../../src/context/request.ts";
import { project } from "../../src/context/view/view.ts";
import type { FileStamp } from "../../src/protocol/entry.ts";
import { callCost } from "../../src/protocol/model.ts";
import { defaultPolicy, type Policy } from "../../src/protocol/policy.ts";
import { Builder, call, countTokens, rules, say } from "./build.ts";
import { compact, type Done } from "./compact.ts";
import { prose } from "./sessions.ts";

const minute = 60_000;
const model = { ...rules, windowTokens: 200_000, outputTokens: 8_000 };

const stamp = (path: string, does: FileStamp["does"]): FileStamp => ({
  path,
  does,
  hash: "h",
  bytes: 1,
});

/** A day of work: turns of searching, reading, editing and testing, with breaks. */
function workday(turns: number): { session: Builder; done: Done[] } {
  const session = new Builder();
  const done: Done[] = [];
  let calls = 0;
  const step = (tool: string, chars: number, stamps: FileStamp[] = []): void => {
    const id = `c${calls++}`;
    session.answer([say(prose(120)), call(id, tool, { path: stamps[0]?.path ?? id })]);
    session.result(id, prose(chars), { tool, stamps });
    done.push(...compact(session, "beforeCall", model, defaultPolicy));
  };
  for (let turn = 0; turn < turns; turn++) {
    if (turn % 19 === 18) session.wait(8 * minute);
    session.user(`Part ${turn}: ${prose(1_800)}`);
    done.push(...compact(session, "turnStart", model, defaultPolicy));
    const path = `/w/file${turn % 9}.ts`;
    step("Grep", 2_500);
    step("Read", 9_000, [stamp(path, "read")]);
    step("Edit", 200, [stamp(path, "write")]);
    step("Bash", 26_000);
    const request = buildRequest(session.view, model, defaultPolicy);
    expect(countTokens(request.messages)).toBeLessThan(model.windowTokens);
    session.answer([say(prose(2_500))]);
  }
  return { session, done };
}

const { done } = workday(90);

/** The tiers that a plan is of. */
const listTiers = ({ plan }: Done): string[] =>
  "changes" in plan
    ? plan.changes.map((change) => (change.kind === "cover" ? "" : (change.tier ?? plan.tier)))
    : [plan.tier];

const isHot = ({ before }: Done): boolean => before.cache.state === "hot";

test("all four tiers fire, each with a reason, and never more than one plan at a boundary", () => {
  expect(new Set(done.flatMap(listTiers))).toEqual(
    new Set(["budget", "snip", "microcompact", "summary"]),
  );
  for (const { plan } of done) expect(plan.reason).toStartWith(`${plan.action}: `);
});

test("in a hot cache nothing is cut below half of the window, and no summary made below 85 %", () => {
  for (const one of done.filter(isHot))
    expect(one.before.utilization).toBeGreaterThan(listTiers(one)[0] === "summary" ? 0.85 : 0.5);
});

test("with autoCompact ask the user is asked before a summary; with off only forced cuts are made", () => {
  const { session } = workday(60);
  session.user(prose(450_000));
  const due = (autoCompact: Policy["autoCompact"]): [string, boolean] | null => {
    const policy: Policy = { ...defaultPolicy, autoCompact };
    const wide = { ...model, windowTokens: 300_000 };
    const reading = { ...measure(session.view, wide, policy, session.nowMs), utilization: 0.9 };
    const usedTokens = 0.9 * reading.effectiveTokens;
    const now = { view: session.view, reading: { ...reading, usedTokens }, policy, rules: wide };
    const plan = nextPlan("turnStart", now);
    return plan && [plan.tier, asksFirst(plan, policy)];
  };
  expect(due("on")).toEqual(["summary", false]);
  expect(due("ask")).toEqual(["summary", true]);
  expect(due("off")).toBeNull();
});

test("a server that says nothing of its cache is not taken for cold: 14 reads, one cut a band at most", () => {
  const session = new Builder();
  const server = { ...rules, caches: false, thinking: "none" as const, windowTokens: 128_000 };
  let cuts = 0;
  for (let turn = 0; turn < 14; turn++) {
    session.wait(turn % 5 === 4 ? 8 * minute : 0);
    session.user(`Read file ${turn}.`);
    cuts += compact(session, "turnStart", server, defaultPolicy).length;
    const usage = {
      input: countTokens(session.view.messages),
      cacheRead: 0,
      cacheWrite: 0,
      output: 9,
    };
    session.answer([call(`c${turn}`)], { usage });
    session.result(`c${turn}`, prose(20_000), { stamps: [stamp(`/w/${turn}.ts`, "read")] });
    session.answer([say("Read.")]);
  }
  expect(cuts).toBeLessThanOrEqual(3);
});

test("in a prompt of 500 calls less than a fifth of the cost is prefix written again", () => {
  const session = new Builder();
  session.user("Do it all.");
  let sent = 0;
  let again = 0;
  let total = 0;
  for (let n = 0; n < 500; n++) {
    const before = session.view.anchor?.usedTokens ?? 0;
    const cuts = compact(session, "beforeCall", { ...model, windowTokens: 60_000 }, defaultPolicy);
    const tokens = countTokens(session.view.messages);
    const kept = cuts.length === 0 ? sent : Math.min(sent, 1_500);
    const usage = { input: 3, cacheRead: kept, cacheWrite: Math.max(0, tokens - kept), output: 60 };
    if (cuts.length > 0) again += (Math.min(tokens, before) - kept) * model.prices.cacheWrite5m;
    total += callCost(usage, model.prices) * 1e6;
    sent = tokens;
    session.answer([call(`c${n}`, "Bash", { command: `step ${n}` })], { usage });
    session.result(`c${n}`, prose(3_000), { tool: "Bash" });
  }
  expect(again / total).toBeLessThan(0.2);
});

test("every billed call counts, including interrupted answers and other branches", () => {
  const session = new Builder();
  session.user("Go.");
  const usage = { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  session.answer([say("Half")], { stop: "failed", usage });
  session.answer([say("Done.")], { usage });
  const { bills } = session.view;
  expect(bills.usd(model.prices)).toBeCloseTo(0.004, 9);
  // An entry that is seen again, as after a rewind, is not billed twice.
  for (const entry of session.path) bills.add(entry);
  expect(bills.usd(model.prices)).toBeCloseTo(0.004, 9);
  const long = { ...model.prices, beyond: { promptTokens: 1_500, ...model.prices, input: 100 } };
  expect(bills.usd(long)).toBeCloseTo(0.004, 9);
});

test("calls of an earlier model keep its prices, in the log too", () => {
  const session = new Builder();
  const usage = { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  const cheap = { ...model.prices, input: 1 };
  const dear = { ...model.prices, input: 7 };
  session.user("Go.");
  session.answer([say("Done.")], { usage });
  session.add({ type: "model", model: "dear", pricesBefore: cheap });
  session.user("Go on.");
  session.answer([say("Done.")], { usage, model: "dear" });
  expect(session.view.bills.usd(dear)).toBeCloseTo(0.008, 9);
  session.add({ type: "model", model: rules.model, pricesBefore: dear });
  expect(session.view.bills.usd(cheap)).toBeCloseTo(0.008, 9);
  expect(project(session.path).bills.usd(cheap)).toBeCloseTo(0.008, 9);
});
