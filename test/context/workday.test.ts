/** An ordinary long session under the default policy: every tier acts, and gives a reason. */

import { expect, test } from "bun:test";
import { buildRequest } from "../../src/context/request.ts";
import type { FileStamp } from "../../src/protocol/entry.ts";
import { callCost } from "../../src/protocol/model.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
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
