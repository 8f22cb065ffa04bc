import { expect, test } from "bun:test";
import { Builder, call, rules, say } from "../../context/build.ts";
import { exploring } from "../../context/meter/exploring.ts";
import { type InputEvent, stage, type Stage } from "../stage.ts";
import { summaryOf } from "../quiet-services.ts";

type Options = NonNullable<Parameters<typeof stage>[1]>;

const open = (kind: "map" | "cost", more: Options = {}): Stage =>
  stage(exploring(), { panel: { kind }, rows: 60, ...more });

test("the panel names tools, and files relative to the workspace", () => {
  const { frame } = open("map");
  expect(frame()).toMatch(/2× {2}Read/);
  expect(frame()).toMatch(/2× {2}a\.ts/);
});

const click = (row: number, column: number): InputEvent[] =>
  (["press", "release"] as const).map((action) => ({ type: "mouse", action, row, column }));

test("a click opens another tab; Tab the next view, Shift-Tab the one before", async () => {
  const { emit, press, controller, store } = open("map");
  const { row, column } = controller.overlay.origin;
  await emit(...click(row, column + " Map  Items ".indexOf("Items")));
  const seen = [store.state.panel?.kind];
  for (const key of ["<tab>", "<shift+tab>", "<shift+tab>", "<shift+tab>"]) {
    await press(key);
    seen.push(store.state.panel?.kind);
  }
  expect(seen).toEqual(["items", "rules", "items", "map", "cost"]);
});

test("a click chooses an item of a list, and another click on it is Enter", async () => {
  const sessions = async () => [summaryOf("first", "first"), summaryOf("second", "second")];
  const panel = { kind: "sessions" } as const;
  const { frame, settle, emit, opened, controller } = stage(exploring(), {
    panel,
    services: { sessions },
  });
  await settle();
  const top = controller.overlay.origin.row;
  const lines = frame().split("\n");
  const row = top + lines.findIndex((line) => line.includes("second"));
  await emit(...click(row, 10));
  expect(opened).toEqual([]);
  await emit(...click(top, 10), ...click(row + 1, 10), ...click(row, 3));
  expect(opened).toEqual([{ kind: "session", session: "second" }]);
});

test("the cost panel lists the newest call first, and all sessions, and follows this one", async () => {
  const today = { name: "Today", calls: 2, sentTokens: 9_000, cachedTokens: 3_000 };
  const rows = [{ ...today, answerTokens: 70, usd: 0.5, isEstimate: false }];
  const services = { usage: async () => ({ rows, sessions: 2 }) };
  const { frame, tell, settle } = open("cost", { services });
  await settle();
  expect(frame()).toMatch(/^Today +2 +9\.0k +33 % +70 +\$0\.50\n2 sessions\. /m);
  expect(frame()).toMatch(/Cost: \$[\d.]+ in 4 calls/);
  const sent = [...frame().matchAll(/^ +([\d.]+)k +\d+ % +\d/gm)].map(([, tokens]) =>
    Number(tokens),
  );
  expect(sent).toHaveLength(3);
  expect(sent).toEqual(sent.toSorted((a, b) => b - a));
  const built = exploring();
  await tell({ type: "entry", entry: built.answer([say("And done.")]) });
  expect(frame()).toMatch(/in 5 calls/);
});

test("where nothing has a price and nothing is cached, neither is spoken of", () => {
  const built = new Builder();
  built.user("Look around.");
  const usage = { input: 3_000, cacheRead: 0, cacheWrite: 0, output: 20 };
  for (const id of ["c1", "c2"]) built.answer([call(id)], { usage });
  const prices = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  const panel = { kind: "cost" } as const;
  const { frame } = stage(built, { panel, rules: { ...rules, prices }, rows: 60 });
  expect(frame()).not.toMatch(/\$|cache (?:read|written)/);
  expect(frame()).toMatch(/^ {4}sent {2}answer {2}call$/m);
});

test("costs at prices that are estimates are marked, in every row", () => {
  const prices = { ...rules.prices, areEstimates: true as const };
  const { frame } = open("cost", { rules: { ...rules, prices } });
  expect(frame()).toMatch(/~\$/);
  expect(frame()).not.toMatch(/(?<!~)\$(?!0\b(?!\.))/);
});

test("subagents, servers and skills have a row each with their calls and cost, marked where it is estimated", () => {
  const built = new Builder();
  built.user("go");
  const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 };
  const subagent = { session: "s", type: "Explore", model: "m1", calls: 9, usage, usd: 0.25 };
  built.step("a", "I looked.", { tool: "Agent", subagent });
  built.answer([call("s", "Skill", { skill: "/tidy" })]);
  built.result("s", "Tidy up. ".repeat(1_000), { tool: "Skill" });
  for (const id of ["e1", "e2"])
    built.step(id, "hello ".repeat(1_000), { tool: "mcp__small__echo" });
  built.answer([say("All done.")]);
  const { frame } = stage(built, { panel: { kind: "cost" }, rows: 60 });
  expect(frame()).toMatch(/^subagent Explore +1 call +4 +\$0\.25$/m);
  expect(frame()).toMatch(/^server small +2 calls +4\.3k +~\$0\.01$/m);
  expect(frame()).toMatch(/^skill tidy +1 call +3\.2k +~\$0\.0093$/m);
});

test("a rule is added in words, removed or done", async () => {
  const built = new Builder();
  built.user("Never use any.");
  const { press, sent } = stage(built, { panel: { kind: "rules" } });
  await press("a", "<enter>", "a", "<escape>", "a", "Use tabs.\r", "x", "d");
  const ended = (["removed", "done"] as const).map(
    (is) => ({ type: "rule", text: "Never use any.", is }) as const,
  );
  expect(sent).toEqual([{ type: "rule", text: "Use tabs.", is: "added" }, ...ended]);
});
