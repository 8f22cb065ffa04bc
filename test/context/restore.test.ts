/** Before a cut is undone, it is known what is restored, and whether it fits. */

import { expect, test } from "bun:test";
import { measure } from "../../src/context/meter/meter.ts";
import { priceRestore } from "../../src/context/meter/cache.ts";
import { defaultPolicy } from "../../src/protocol/policy.ts";
import { begin, Builder, noPrice, rules, say } from "./build.ts";
import { prose } from "./sessions.ts";

/** Two results that were cleared, and a turn after that. */
function cleared(): { session: Builder; cut: string } {
  const session = begin(prose(12_000));
  for (const id of ["a", "b"]) session.step(id, prose(12_000));
  session.answer([say("Read.")]);
  const results = session.path.filter(({ type }) => type === "result");
  const text = "[gone]";
  const { id: cut } = session.cut(results.map(({ id }) => ({ kind: "replace", entry: id, text })));
  session.turn("And now?", "Now this.");
  return { session, cut };
}

test("the estimate of an undo is what the meter shows after it, for a whole cut and for one entry", () => {
  for (const entry of [undefined, "e4"]) {
    const { session, cut } = cleared();
    const wanted = { cut, ...(entry === undefined ? {} : { entry }) };
    const { nowMs } = session;
    const known = [...session.path];
    const estimate = priceRestore(known, wanted, rules, defaultPolicy, session.nowMs);
    const before = measure(session.view, rules, defaultPolicy, session.nowMs);
    expect(estimate.price.usedBefore).toBe(before.usedTokens);
    session.add({ type: "restore", ...wanted, price: noPrice });
    const after = measure(session.view, rules, defaultPolicy, session.nowMs);
    expect(estimate.price.usedAfter).toBe(after.usedTokens);
    expect(estimate.price.usedAfter).toBeGreaterThan(before.usedTokens + (entry ? 1_500 : 3_000));
    expect(estimate.price.cachedBroken).toBeGreaterThan(0);
    const restored = after.usedTokens - before.usedTokens;
    for (const [cacheTtl, write] of [
      ["5m", rules.prices.cacheWrite5m],
      ["1h", rules.prices.cacheWrite1h],
    ] as const) {
      const policy = { ...defaultPolicy, cacheTtl };
      const { price: at } = priceRestore(known, wanted, rules, policy, nowMs);
      const again = at.cachedBroken * (write - rules.prices.cacheRead);
      expect(at.usd).toBeCloseTo((again + restored * write) / 1e6, 10);
    }
    expect(estimate.excessTokens).toBeLessThan(0);
  }
});

test("an undo that would not fit reports by how much", () => {
  const { session, cut } = cleared();
  const { usedTokens } = measure(session.view, rules, defaultPolicy, session.nowMs);
  const small = { ...rules, windowTokens: usedTokens + 2_500 };
  const estimate = priceRestore(session.path, { cut }, small, defaultPolicy, session.nowMs);
  expect(estimate.excessTokens).toBeGreaterThan(1_000);
});

test("shortened items are not paid for, only what comes after them", () => {
  const session = begin();
  const { id } = session.step("a", "short");
  const { id: cut } = session.cut([{ kind: "replace", entry: id, text: prose(9_000) }]);
  session.answer([say(prose(3_000))]);
  const { nowMs, path } = session;
  const { price: at } = priceRestore(path, { cut }, rules, defaultPolicy, nowMs);
  expect(at.usedAfter).toBeLessThan(at.usedBefore - 2_000);
  const { cacheWrite5m, cacheRead } = rules.prices;
  expect(at.usd).toBeCloseTo((at.cachedBroken * (cacheWrite5m - cacheRead)) / 1e6, 10);
});

test("undoing a cut of what a later summary covers changes nothing and costs nothing", () => {
  const session = begin(prose(12_000));
  const { id } = session.step("a", prose(12_000));
  const { id: cut } = session.cut([{ kind: "replace", entry: id, text: "[gone]" }]);
  session.answer([say("Done.")]);
  const [from, to] = [session.path[0]?.id ?? "", session.path.at(-1)?.id ?? ""];
  session.user("And now?");
  session.cut([{ kind: "cover", span: { from, to }, text: prose(20_000) }]);
  session.answer([say("Now this.")]);
  const { nowMs, path } = session;
  expect(measure(session.view, rules, defaultPolicy, nowMs).cache.tokens).toBeGreaterThan(1_000);
  const { price: at } = priceRestore(path, { cut }, rules, defaultPolicy, nowMs);
  expect(at).toMatchObject({ usd: 0, cachedBroken: 0, usedAfter: at.usedBefore });
});
