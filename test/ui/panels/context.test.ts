import { expect, test } from "bun:test";
import { rowCounter } from "../../../src/context/meter/meter.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import type { Prices } from "../../../src/protocol/model.ts";
import { Bill, layoutBill } from "../../../src/ui/panels/context/cost.ts";
import { byFile, byTool } from "../../../src/ui/panels/context/map.ts";
import { lineWidth, plainText } from "../../../src/ui/line.ts";
import type { MouseEvent } from "../../../src/ui/keys.ts";
import type { SessionSummary } from "../../../src/ui/types.ts";
import { Builder, call, noPrice, rules, say } from "../../context/build.ts";
import { stage } from "../stage.ts";

const summary = (session: string): SessionSummary => ({
  session,
  cwd: "/w",
  title: session,
  firstPrompt: "",
  bytes: 1,
  at: "2026-01-01T00:00:00.000Z",
  busy: false,
});

const stamp = (path: string) => ({ path, does: "read" as const, hash: "h", bytes: 1 });

/** Reads of two files and a command. */
function session(): Builder {
  const built = new Builder();
  built.user("Look around.");
  built.step("c1", "a ".repeat(4_000), { stamps: [stamp("/w/a.ts")] });
  built.step("c2", "b ".repeat(1_000), { stamps: [stamp("/w/a.ts"), stamp("/w/b.ts")] });
  built.answer([call("c3", "Bash", { command: "ls" })]);
  built.result("c3", "c ".repeat(500), { tool: "Bash" });
  built.answer([{ type: "text", text: "Two files." }]);
  return built;
}

function buildBill(path: readonly Entry[], pricesOf: (model: string) => Prices): Bill {
  const bill = new Bill(pricesOf);
  for (const entry of path) bill.add(entry);
  return bill;
}

test("results add up by tool, and file results by file", () => {
  const { view } = session();
  const tokens = rowCounter(view, rules);
  const results = view.rows.filter(({ entry }) => entry.type === "result");
  const sum = results.reduce((all, row) => all + tokens(row), 0);
  const tools = byTool(view, tokens);
  expect(tools.map(({ name, items }) => [name, items])).toEqual([
    ["Read", 2],
    ["Bash", 1],
  ]);
  expect(tools.reduce((all, share) => all + share.tokens, 0)).toBeCloseTo(sum);
  const files = byFile(view, tokens);
  expect(files.map(({ name, items }) => [name, items])).toEqual([
    ["/w/a.ts", 2],
    ["/w/b.ts", 1],
  ]);
  const [first = 0, second = 0] = results.map((row) => tokens(row));
  expect(files.map((share) => share.tokens)).toEqual([first + second / 2, second / 2]);
});

test("a removed item counts as its placeholder", () => {
  const built = session();
  const [row] = built.view.rows.filter(({ entry }) => entry.type === "result");
  const before = byTool(built.view, rowCounter(built.view, rules))[0]?.tokens ?? 0;
  built.cut([{ kind: "replace", entry: row?.entry.id ?? "", text: "[gone]" }]);
  const after = byTool(built.view, rowCounter(built.view, rules))[0]?.tokens ?? 0;
  expect(after).toBeLessThan(before / 2);
});

test("the panel names tools, files relative to the workspace, and the largest items", async () => {
  const { frame, settle, end } = stage(session(), {
    panel: { kind: "map" },
    rows: 60,
  });
  await settle();
  expect(frame()).toMatch(/2× {2}Read/);
  expect(frame()).toMatch(/2× {2}a\.ts/);
  expect(frame()).toContain("Largest items");
  end();
});

const click = (row: number, column: number): MouseEvent[] =>
  (["press", "release"] as const).map((action) => ({ type: "mouse", action, row, column }));

test("a click opens another tab", async () => {
  const { settle, emit, controller, store, end } = stage(session(), {
    panel: { kind: "map" },
    rows: 30,
  });
  await settle();
  controller.overlay.origin = { row: 10, column: 2 };
  await emit(...click(10, 2 + " Map  Items ".indexOf("Items")));
  expect(store.getState().panel).toEqual({ kind: "items" });
  end();
});

test("a click chooses an item of a list, and another click on it is Enter", async () => {
  const { frame, settle, emit, opened, controller, end } = stage(session(), {
    panel: { kind: "sessions" },
    services: {
      sessions: async () => [summary("first"), summary("second")],
    },
  });
  await settle();
  controller.overlay.origin = { row: 5, column: 0 };
  const row =
    5 +
    frame()
      .split("\n")
      .findIndex((line) => line.includes("second"));
  await emit(...click(row, 10));
  expect(opened).toEqual([]);
  await emit(...click(5, 10), ...click(row + 1, 10), ...click(row, 3));
  expect(opened).toEqual([{ kind: "session", session: "second" }]);
  end();
});

test("a bill lists every call and summary, and adds up", () => {
  const built = session();
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
  const bill = buildBill(session().path, () => ({ ...rules.prices, beyond }));
  const { input, cacheRead, cacheWrite, output } = bill.by;
  expect(input + cacheRead + cacheWrite + output).toBeCloseTo(bill.usd, 9);
  expect(bill.usd).toBeCloseTo(2 * buildBill(session().path, () => rules.prices).usd, 9);
});

test.each([120, 80, 60, 40])("a bill fits %d columns", (columns) => {
  const lines = layoutBill(
    buildBill(session().path, () => rules.prices),
    columns,
  );
  for (const line of lines.slice(6)) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
});

test("the cost panel lists the newest call first", async () => {
  const { frame, settle, end } = stage(session(), { panel: { kind: "cost" } });
  await settle();
  expect(frame()).toContain("in 4 calls");
  const sent = [...frame().matchAll(/^ +([\d.]+)k +\d+ % +\d/gm)].map(([, tokens]) =>
    Number(tokens),
  );
  expect(sent).toHaveLength(3);
  expect(sent).toEqual(sent.toSorted((a, b) => b - a));
  end();
});

test("the cost follows the session", async () => {
  const built = session();
  const { frame, tell, end } = stage(built, { panel: { kind: "cost" } });
  expect(frame()).toMatch(/Cost: \$[\d.]+ in 4 calls/);
  built.answer([say("And done.")]);
  const entry = built.path.at(-1);
  if (entry) await tell({ type: "entry", entry });
  expect(frame()).toMatch(/in 5 calls/);
  end();
});

test("summaries by another model are charges of that model", () => {
  const built = session();
  const usage = { input: 40_000, cacheRead: 0, cacheWrite: 0, output: 1_000 };
  const spent = { model: "small", usage, usd: 0.05 };
  const attempt = { trigger: "auto", reason: "", by: "model", usedTokens: 1 } as const;
  built.add({ type: "attempt", outcome: "ready", ...attempt, spent });
  const bill = buildBill(built.path, () => rules.prices);
  expect(bill.charges.at(-1)).toMatchObject({ what: "unused summary", model: "small", usd: 0.05 });
  const { input, cacheRead, cacheWrite, output } = bill.by;
  expect(input + cacheRead + cacheWrite + output).toBeCloseTo(bill.usd, 9);
});

test("where nothing has a price and nothing is cached, neither is spoken of", () => {
  const path = session().path.map((entry) =>
    entry.type === "assistant"
      ? { ...entry, usage: { ...entry.usage, cacheRead: 0, cacheWrite: 0 } }
      : entry,
  );
  const lines = layoutBill(
    buildBill(path, () => ({
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
    })),
    120,
  ).map(plainText);
  expect(lines.join("\n")).not.toMatch(/\$|cache/);
  expect(lines).toContain("    sent  answer  call");
});

test("costs at prices that are estimates are marked, in every row", () => {
  const bill = buildBill(session().path, () => ({ ...rules.prices, areEstimates: true }));
  const text = layoutBill(bill, 120).map(plainText).join("\n");
  expect(text).toMatch(/~\$/);
  expect(text).not.toMatch(/(?<!~)\$(?!0\b(?!\.))/);
});
