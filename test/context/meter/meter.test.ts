/** The meter is right after a call, a cut and a resume; its number is the one that triggers the tiers. */

import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { effectiveWindow, measure } from "../../../src/context/meter/meter.ts";
import { buildRequest } from "../../../src/context/request.ts";
import { project } from "../../../src/context/view/view.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { noUsage, usedBy } from "../../../src/protocol/model.ts";
import { defaultPolicy } from "../../../src/protocol/policy.ts";
import { begin, Builder, call, countTokens, rules, say } from "../build.ts";
import { paths, prose, reads } from "../sessions.ts";

const read = (session: Builder, model = rules) =>
  measure(session.view, model, defaultPolicy, session.nowMs);

/** Results of so many characters, e4, e6 and so on, and the end of the turn. */
function done(...sizes: number[]): Builder {
  const session = begin("Read.");
  for (const [n, chars] of sizes.entries()) session.step(`c${n}`, prose(chars));
  session.answer([say("Done.")]);
  return session;
}

test("tokens counted for results are assigned to the results alone", () => {
  const session = begin("Read.");
  session.answer([call("a"), call("b")]);
  session.result("a", prose(15_000));
  session.result("b", prose(6_000));
  const { system } = session.view.tokenCounts.counted;
  const before = session.view.tokenCounts.total();
  session.answer([say("Done.")]);
  const { tokenCounts } = session.view;
  expect(tokenCounts.counted.system).toBeCloseTo(system, 6);
  const [a, b, said] = [3, 4, 5].map((row) => tokenCounts.countedTokens(row) ?? 0);
  expect((a ?? 0) + (b ?? 0) + (said ?? 0)).toBeCloseTo(tokenCounts.total() - before, 6);
});

test("after a cut the meter is as accurate as after a call", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 3_000, max: 30_000 }), { minLength: 2, maxLength: 8 }),
      (sizes) => {
        const session = new Builder({ system: prose(2_000) });
        session.user("Read.");
        const ids = sizes.map((chars, n) => session.step(`c${n}`, prose(chars)).id);
        session.next();
        const near = () =>
          Math.abs(read(session).usedTokens / countTokens(session.view.messages) - 1);
        expect(near()).toBeLessThan(0.03);
        for (const [n, entry] of ids.entries())
          if (n % 2 === 0) session.cut([{ kind: "replace", entry, text: `[was ${entry}]` }]);
        expect(near()).toBeLessThan(0.05);
      },
    ),
    { numRuns: 60 },
  );
});

test("right after a call it shows the server's number", () => {
  const session = done(9_000);
  const last = session.path.at(-1);
  expect(read(session).usedTokens).toBe(last?.type === "assistant" ? usedBy(last.usage) : -1);
  expect(read(session).errorTokens).toBe(0);
});

test("a resumed session reads what a live one reads, and the parts make up the whole", () => {
  fc.assert(
    fc.property(paths(), (path) => {
      const atMs = Date.UTC(2027, 0, 1);
      const readPath = (entries: Entry[]) => measure(project(entries), rules, defaultPolicy, atMs);
      const live = readPath(path);
      expect(readPath(JSON.parse(JSON.stringify(path)))).toEqual(live);
      expect(live.usedTokens).toBeGreaterThanOrEqual(0);
      expect(live.utilization).toBe(live.usedTokens / effectiveWindow(rules, defaultPolicy));
      expect(live.leftTokens).toBe(live.effectiveTokens - live.usedTokens);
      const parts = Object.values(live.breakdown).reduce((sum, part) => sum + part, 0);
      expect(Math.abs(parts - live.usedTokens)).toBeLessThan(6);
      const more = measure(project(path), rules, defaultPolicy, atMs, 500);
      expect(more.usedTokens).toBe(live.usedTokens + 500);
      expect(more.breakdown.user).toBeGreaterThan(live.breakdown.user);
    }),
    { numRuns: 60 },
  );
});

test("the parts of the smallest request make up the whole, and nothing has none", () => {
  const { breakdown, usedTokens } = read(new Builder({ system: "", tools: [] }));
  expect(usedTokens).toBeGreaterThan(0);
  const { tools, ...others } = breakdown;
  expect(tools).toBe(usedTokens);
  const nothing = measure(project([]), rules, defaultPolicy, 0).breakdown;
  for (const parts of [others, nothing])
    expect(new Set(Object.values(parts))).toEqual(new Set([0]));
});

test("a count by the API while idle corrects it, and says nothing of the cache", () => {
  const session = done(9_000, 9_000);
  session.cut([{ kind: "replace", entry: "e6", text: "[cut]" }]);
  session.add({ type: "model", model: "m2" });
  session.wait(60_000);
  const { anchor } = session.view;
  expect(read(session).errorTokens).toBeGreaterThan(0);
  const { id } = session.add({ type: "count", tokens: 4_321 });
  expect(read(session)).toMatchObject({ usedTokens: 4_321, errorTokens: 0 });
  const row = session.view.indexOf(id);
  const counted = { usedTokens: 4_321, countedTokens: session.view.tokenCounts.total() };
  expect(session.view.anchor).toEqual({ ...anchor, ...counted, row } as typeof anchor);
});

test("after a cut, the error grows by a twentieth of what was cut", () => {
  const session = done(9_000);
  const before = read(session);
  session.cut([{ kind: "replace", entry: "e4", text: "" }]);
  const after = read(session);
  const freed = before.usedTokens - after.usedTokens;
  expect(freed).toBeGreaterThan(2_000);
  expect(after.errorTokens - before.errorTokens).toBeWithin(freed / 25, freed / 15);
});

test("the cache is hot while it lives, broken from the first change on, then cold", () => {
  const session = done(9_000, 9_000);
  const { state, tokens } = read(session).cache;
  expect(state).toBe("hot");
  // So little is not cached at all.
  expect(read(done(900)).cache).toMatchObject({ state: "hot", tokens: 0 });
  session.cut([{ kind: "replace", entry: "e6", text: "[cut]" }]);
  expect(read(session).cache.tokens).toBeWithin(tokens * 0.4, tokens * 0.6);
  session.cut([{ kind: "replace", entry: "e4", text: "[cut]" }]);
  expect(read(session).cache.tokens).toBeLessThan(tokens / 4);
  session.wait(5 * 60_000);
  expect(read(session).cache).toMatchObject({ state: "cold", expiresAtMs: null, tokens: 0 });
  // Nobody knows how long another server keeps a prefix: it is reused as long as it stays the same.
  const unknown = read(session, { ...rules, caches: false }).cache;
  expect(unknown).toMatchObject({ state: "hot", expiresAtMs: null });
});

test("a call that was made while the clock was wrong says nothing about the cache", () => {
  const session = done();
  const atMs = session.view.anchor?.atMs ?? 0;
  const at = (nowMs: number) => measure(session.view, rules, defaultPolicy, nowMs);
  expect(at(atMs - 300_000).cache.state).toBe("hot");
  expect(at(atMs - 300_001)).toMatchObject({ cache: { state: "cold" }, idleMs: 300_001 });
});

test("a result that was cut before any call counted it is measured once it is restored", () => {
  const session = begin("Read it.");
  const result = session.step("c1", prose(20_000));
  const cut = session.cut([{ kind: "replace", entry: result.id, text: "[cut]" }]);
  session.answer([say("Read.")]);
  session.restore(cut.id);
  session.turn("Again.", "Done.");
  const { counted } = session.view.tokenCounts;
  expect(counted.toolResults).toBeGreaterThan(4_000);
  expect(counted.system).toBeLessThan(1_000);
});

test("tokens that nobody can explain are not the system prompt's, but spread by size", () => {
  const session = begin();
  let used = 5_000;
  for (let n = 0; n < 12; n++) {
    used += 4_000;
    session.answer([call(`c${n}`)], { usage: { ...noUsage, input: used, output: 20 } });
    // Far more tokens come in each call than these characters can take.
    session.result(`c${n}`, "x".repeat(600));
  }
  const { breakdown, usedTokens } = read(session);
  expect(breakdown.system).toBeLessThan(usedTokens / 4);
  expect(breakdown.toolResults).toBeGreaterThan(usedTokens / 3);
});

test("an output count is believed above a token for twelve characters: servers send placeholders", () => {
  const countedFor = (output: number) => {
    const session = done();
    const input = countTokens(session.view.messages);
    session.answer([say(prose(6_000))], { usage: { input, cacheRead: 0, cacheWrite: 0, output } });
    return session.view.tokenCounts.countedTokens(session.path.length - 1);
  };
  expect([3, 500, 501].map(countedFor)).toEqual([null, null, 501]);
});

test("when our model takes over an imported session, only our own prompt and tools count", () => {
  const session = new Builder({ imported: "Codex", model: "Codex: m9", system: prose(4_000) });
  session.user("Hello.");
  session.answer([say("Yes?")], { usage: { ...noUsage, input: 50_000 } });
  session.user("Go on.");
  const fixed = () => {
    const { breakdown } = read(session);
    return breakdown.system + breakdown.tools;
  };
  expect(fixed()).toBeGreaterThan(40_000);
  session.add({ type: "model", model: "m1" });
  expect(session.view.anchor?.usedTokens).toBeLessThan(1_000);
  expect(fixed()).toBeWithin(701, 2_000);
  const input = countTokens(session.view.messages) + 2_000;
  session.answer([say("Done.")], { usage: { ...noUsage, input } });
  expect(fixed()).toBeLessThan(4_000);
});

test("another tokenizer is noticed at its first call", () => {
  const session = reads(20, 3_000);
  session.add({ type: "model", model: "m2" });
  const tokens = Math.round(countTokens(session.view.messages) * 1.3);
  session.answer([say("Yes.")], { usage: { ...noUsage, input: tokens } });
  session.user("And now?");
  session.cover("e2", "e43", prose(300));
  const left = countTokens(session.view.messages) * 1.3;
  expect(Math.abs(read(session).usedTokens / left - 1)).toBeLessThan(0.35);
});

test("the effective window is what the reserve leaves; in a small window it is an eighth", () => {
  expect(effectiveWindow({ ...rules, windowTokens: 200_000 }, defaultPolicy)).toBe(180_000);
  expect(effectiveWindow({ ...rules, windowTokens: 8_000 }, defaultPolicy)).toBe(7_000);
});

test("a hostile time in the log breaks nothing", () => {
  const session = begin();
  session.answer([call("a")], { sentAt: "yesterday" });
  expect(read(session).cache.state).toBe("cold");
});

test("usage far beyond what was sent, or above the window, does not end the session", () => {
  for (const [words, input] of [
    ["Hello.", 5_000_000],
    ["Hello.".repeat(10_000), rules.windowTokens + 10_000],
  ] as const) {
    const session = begin(words);
    session.answer([say("Hello.")], { usage: { ...noUsage, input } });
    session.user("And now?");
    if (words === "Hello.") expect(read(session).usedTokens).toBeLessThan(10_000);
    expect(buildRequest(session.view, rules, defaultPolicy).messages).toHaveLength(3);
  }
});

test("usage is counted up to 100,000 tokens more than four times what is expected", () => {
  const isCounted = (more: number): boolean => {
    const session = begin("Hello.".repeat(10_000));
    const framing = 30;
    const input = 100_000 + 4 * (read(session).usedTokens - framing) + more;
    session.answer([say("Hello.")], { usage: { ...noUsage, input } });
    return session.view.anchor !== null;
  };
  expect([-5, 5].map(isCounted)).toEqual([true, false]);
});
