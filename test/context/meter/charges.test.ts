import { expect, test } from "bun:test";
import { Builder, noPrice, rules, say } from "../build.ts";
import { buildBill, exploring } from "./exploring.ts";

test("a bill lists every call and summary, and adds up", () => {
  const built = exploring();
  built.add({
    type: "cut",
    tier: "summary",
    trigger: "key",
    reason: "a test",
    changes: [],
    price: { ...noPrice, usedBefore: 9_000, usedAfter: 1_000, cachedBroken: 500 },
    summary: {
      by: "model",
      usage: { input: 0, cacheRead: 9_000, cacheWrite: 0, output: 400 },
      turns: 2,
      instructionsPutBack: [],
      losses: [],
    },
  });
  const bill = buildBill(built.path, () => rules.prices);
  expect(bill.charges.map(({ what }) => what)).toEqual(["call", "call", "call", "call", "summary"]);
  const { input, cacheRead, cacheWrite, output } = bill.by;
  expect(input + cacheRead + cacheWrite + output).toBeCloseTo(bill.usd, 9);
  expect(bill.cuts).toEqual({ made: 1, freedTokens: 8_000, brokenTokens: 500 });
  const { usd, usage } = bill.charges.at(-1) ?? { usd: 0, usage: null };
  expect(usage?.cacheRead).toBe(9_000);
  expect(usd).toBeCloseTo((9_000 * 0.2 + 400 * 10) / 1e6, 9);
});

test("a bill lists unused summaries, and an earlier model's calls at its prices", () => {
  const built = new Builder();
  const cheap = { ...rules.prices, input: rules.prices.input / 10 };
  const price = { input: 1_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  const unused = {
    outcome: "failed",
    by: "model",
    trigger: "auto",
    reason: "",
    usedTokens: 0,
  } as const;
  built.user("Go.");
  built.answer([say("I was")], { stop: "failed", usage: price });
  built.add({ type: "model", model: "m2", pricesBefore: cheap });
  built.add({ type: "attempt", ...unused, usage: price });
  built.add({ type: "refresh", sentAt: new Date(built.nowMs).toISOString(), usage: price });
  const { bills } = built.view;
  const bill = buildBill(built.path, (model) => bills.billedPrices(model, rules.prices));
  expect(bill.charges.map(({ what }) => what)).toEqual(["call", "unused summary", "cache refresh"]);
  expect(bill.usd).toBeCloseTo(bills.usd(rules.prices), 9);
  expect(bill.charges[1]?.usd).toBeCloseTo(10 * (bill.charges[0]?.usd ?? 0), 9);
});

test("a prompt beyond the first price tier pays the second", () => {
  const beyond = {
    promptTokens: 100,
    input: 4,
    output: 20,
    cacheRead: 0.4,
    cacheWrite5m: 5,
    cacheWrite1h: 8,
  };
  const bill = buildBill(exploring().path, () => ({ ...rules.prices, beyond }));
  const { input, cacheRead, cacheWrite, output } = bill.by;
  expect(input + cacheRead + cacheWrite + output).toBeCloseTo(bill.usd, 9);
  expect(bill.usd).toBeCloseTo(2 * buildBill(exploring().path, () => rules.prices).usd, 9);
});

test("summaries by another model are charges of that model", () => {
  const built = exploring();
  const usage = { input: 40_000, cacheRead: 0, cacheWrite: 0, output: 1_000 };
  const spent = { model: "small", usage, usd: 0.05 };
  const attempt = { trigger: "auto", reason: "", by: "model", usedTokens: 1 } as const;
  built.add({ type: "attempt", outcome: "ready", ...attempt, spent });
  const bill = buildBill(built.path, () => rules.prices);
  expect(bill.charges.at(-1)).toMatchObject({ what: "unused summary", model: "small", usd: 0.05 });
  const { input, cacheRead, cacheWrite, output } = bill.by;
  expect(input + cacheRead + cacheWrite + output).toBeCloseTo(bill.usd, 9);
});
