/** What the meter reads, case by case, against a server with its own way of counting. */

import { expect, test } from "bun:test";
import { effectiveWindow } from "../../../src/context/meter/meter.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { Builder, call, countTokens, rules, say } from "../build.ts";
import { read } from "../compact.ts";
import { prose } from "../sessions.ts";

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

test("the effective window is what the reserve leaves; in a small window it is an eighth", () => {
  expect(effectiveWindow({ ...rules, windowTokens: 200_000 }, defaultPolicy)).toBe(180_000);
  expect(effectiveWindow({ ...rules, windowTokens: 8_000 }, defaultPolicy)).toBe(7_000);
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
