/** What the meter reads, case by case, against a server with its own way of counting. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { effectiveWindow, measure } from "../../../src/context/meter/meter.ts";
import { rowCounter, wholeRowCounter } from "../../../src/context/view/row-tokens.ts";
import { Projection } from "../../../src/context/view/view.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, call, countTokens, rules, say } from "../build.ts";
import { read } from "../compact.ts";
import { paths, prose } from "../sessions.ts";

const used = (session: Builder): number => read(session, rules, defaultPolicy).usedTokens;
const truth = (session: Builder): number => countTokens(session.view.messages);

/** A session with `count` steps of different sizes. */
function busy(count: number): Builder {
  const session = new Builder();
  session.user(prose(500));
  for (let n = 0; n < count; n++) session.step(`c${n}`, prose(400 + ((n * 1_713) % 5_000)));
  return session;
}

test("what comes after a call is estimated, ever better", () => {
  const early = Math.abs(used(busy(2)) / truth(busy(2)) - 1);
  const late = Math.abs(used(busy(30)) / truth(busy(30)) - 1);
  expect(early).toBeLessThan(0.2);
  expect(late).toBeLessThan(0.005);
});

test("right after a summary it equals the server's next count", () => {
  const session = busy(30);
  session.answer([say("Done.")]);
  session.user("And now?");
  session.cover("e2", "e63", prose(3_000));
  expect(truth(session)).toBeLessThan(2_000);
  expect(Math.abs(used(session) - truth(session))).toBeLessThan(200);
});

test("right after old results were cleared, and after that was undone", () => {
  const session = busy(20);
  const before = used(session);
  const results = session.path.filter(({ type }) => type === "result").slice(0, 15);
  const cut = session.cut(
    results.map(({ id }) => ({ kind: "replace" as const, entry: id, text: `[cleared ${id}]` })),
  );
  expect(Math.abs(used(session) / truth(session) - 1)).toBeLessThan(0.05);
  session.restore(cut.id);
  expect(Math.abs(used(session) - before)).toBeLessThan(2);
});

test("a placeholder for the output count is ignored", () => {
  const session = busy(3);
  session.add({
    type: "assistant",
    content: [say(prose(6_000))],
    model: "m1",
    usage: { input: truth(session), cacheRead: 0, cacheWrite: 0, output: 3 },
    stop: "end_turn",
    sentAt: new Date(session.nowMs).toISOString(),
  });
  expect(Math.abs(used(session) / truth(session) - 1)).toBeLessThan(0.15);
});

test("when our model takes over an imported session, only our own prompt and tools count", () => {
  const session = new Builder({ imported: "Codex", model: "Codex: m9", system: prose(4_000) });
  session.user("Hello.");
  session.answer([say("Yes?")], {
    usage: { input: 50_000, cacheRead: 0, cacheWrite: 0, output: 9 },
  });
  session.user("Go on.");
  const fixed = () => {
    const { breakdown } = read(session, rules, defaultPolicy);
    return breakdown.system + breakdown.tools;
  };
  expect(fixed()).toBeGreaterThan(40_000);
  session.add({ type: "model", model: "m1" });
  expect(session.view.anchor?.usedTokens).toBeLessThan(1_000);
  expect(fixed()).toBeGreaterThan(700);
  expect(fixed()).toBeLessThan(2_000);
  const tokens = countTokens(session.view.messages);
  session.answer([say("Done.")], {
    usage: { input: tokens + 2_000, cacheRead: 0, cacheWrite: 0, output: 9 },
  });
  expect(fixed()).toBeLessThan(4_000);
});

test("an answer that counted nothing leaves the estimate as it is", () => {
  const session = busy(5);
  session.answer([say("Done.")]);
  const { anchor } = session.view;
  const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 9 };
  session.answer([say("Yes.")], { usage });
  expect(session.view.anchor).toEqual(anchor);
});

test("another tokenizer is noticed at its first call", () => {
  const session = busy(20);
  session.answer([say("Done.")]);
  session.user("More.");
  session.add({ type: "model", model: "m2" });
  const tokens = Math.round(truth(session) * 1.3);
  session.add({
    type: "assistant",
    content: [say("Yes.")],
    model: "m2",
    usage: { input: tokens, cacheRead: 0, cacheWrite: 0, output: 3 },
    stop: "end_turn",
    sentAt: new Date(session.nowMs).toISOString(),
  });
  session.user("And now?");
  session.cover("e2", "e43", prose(300));
  const left = countTokens(session.view.messages) * 1.3;
  expect(Math.abs(used(session) / left - 1)).toBeLessThan(0.35);
});

test("the breakdown adds up to what is used, and knows the large from the small", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const { view } = new Projection(path);
      const { breakdown, usedTokens } = measure(view, rules, defaultPolicy, 0);
      const parts = Object.values(breakdown);
      const sum = parts.reduce((all, tokens) => all + tokens, 0);
      expect(Math.abs(sum - usedTokens)).toBeLessThanOrEqual(parts.length);
      expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
    }),
  );
  const { breakdown } = read(busy(10), rules, defaultPolicy);
  expect(breakdown.toolResults).toBeGreaterThan(breakdown.user * 5);
  expect(breakdown.system + breakdown.tools).toBeGreaterThan(300);
});

test("rows add up to the messages that the server counted", () => {
  const session = busy(20);
  session.answer([say("Done.")]);
  const tokens = rowCounter(session.view, rules);
  const rows = session.view.rows.reduce((sum, row) => sum + tokens(row), 0);
  const counted = countTokens(session.view.messages, 0);
  expect(Math.abs(rows / counted - 1)).toBeLessThan(0.05);
  const whole = session.view.rows.map(tokens)[3] ?? 0;
  session.cut([{ kind: "replace", entry: "e4", text: "[cleared]" }]);
  const cut = session.view.rows[3];
  if (!cut) throw new Error("no row");
  expect(whole).toBeGreaterThan(100);
  expect(tokens(cut)).toBeLessThan(20);
  expect(wholeRowCounter(session.view, rules)(cut)).toBe(whole);
});

test("the effective window is what the reserve leaves; in a small window it is an eighth", () => {
  expect(effectiveWindow({ ...rules, windowTokens: 200_000 }, defaultPolicy)).toBe(180_000);
  expect(effectiveWindow({ ...rules, windowTokens: 8_000 }, defaultPolicy)).toBe(7_000);
});

test("everything is billed once, including the summary's own call", () => {
  const session = new Builder();
  session.user("Go.");
  const usage = { input: 1_000_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  const sentAt = new Date(session.nowMs).toISOString();
  session.add({
    type: "assistant",
    content: [say("a")],
    model: "m1",
    usage,
    stop: "end_turn",
    sentAt,
  });
  expect(read(session, rules, defaultPolicy).cost.session).toBe(2);
  session.add({
    type: "cut",
    tier: "summary",
    trigger: "key",
    reason: "",
    changes: [{ kind: "cover", span: { from: "e2", to: "e3" }, text: "Sum." }],
    price: { usedBefore: 0, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: null },
    summary: { by: "model", usage, turns: 1, instructionsPutBack: [], losses: [] },
  });
  expect(read(session, rules, defaultPolicy).cost).toEqual({ session: 4, lastCall: 2 });
});

test("a hostile time in the log breaks nothing", () => {
  const session = new Builder();
  session.user("Go.");
  session.add({
    type: "assistant",
    content: [call("a")],
    model: "m1",
    usage: { input: 5_000, cacheRead: 0, cacheWrite: 0, output: 5 },
    stop: "tool_use",
    sentAt: "yesterday",
  });
  expect(read(session, rules, defaultPolicy).cache.state).toBe("cold");
});
