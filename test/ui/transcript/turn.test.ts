import { expect, test } from "bun:test";
import { initialState, withEntry } from "../../../src/ui/state.ts";
import { callTitle } from "../../../src/ui/transcript/format.ts";
import { describeOutcome } from "../../../src/ui/transcript/outcome.ts";
import { turnText } from "../../../src/ui/transcript/item-lines.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 40 };

test("a turn with every call of the model, priced call by call", () => {
  const usages = [usage, { input: 10, cacheRead: 5_800, cacheWrite: 200, output: 372 }];
  const prices = { input: 1, output: 10, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
  expect(
    turnText({ ms: 14_200, toolCalls: 5, usages, subagents: 0, elsewhereUsd: 0 }, prices),
  ).toBe("14.2 s · 5 tool calls · 6.1k tokens read (5.8k from cache), 412 written · $0.0051");
});

test("leaves out what is zero", () => {
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  expect(
    turnText({ ms: 0, toolCalls: 0, usages: [usage], subagents: 0, elsewhereUsd: 0 }, free),
  ).toBe("100 tokens read, 40 written");
});

test("a turn of less than a second says so", () => {
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  expect(
    turnText({ ms: 200, toolCalls: 0, usages: [usage], subagents: 0, elsewhereUsd: 0 }, free),
  ).toBe("under 1 s · 100 tokens read, 40 written");
});

test("counts subagents, and adds their cost at their own prices", () => {
  const prices = { input: 1, output: 10, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
  const totals = {
    ms: 2_000,
    toolCalls: 1,
    usages: [usage],
    subagents: 1,
    elsewhereUsd: 0.25,
  };
  expect(turnText(totals, prices)).toBe(
    "2.0 s · 1 tool call · 1 subagent · 100 tokens read, 40 written · $0.25",
  );
});

test("of a command, what was typed is shown, and what was sent when it is unfolded", async () => {
  const session = new Builder();
  const text = ["/review src", "", ...Array.from({ length: 20 }, (_, n) => `Step ${n}`)].join("\n");
  session.add({ type: "user", content: [{ type: "text", text }], typed: "/review src" });
  const on = stage(session);
  const shown = (): string => on.rows(80, 60).map(Bun.stripANSI).join("\n");
  expect(shown()).toContain("❯ /review src");
  expect(shown()).toContain("… 22 lines sent");
  expect(shown()).not.toContain("Step 3");
  await on.press("<ctrl+o>", "<enter>");
  expect(shown()).toContain("Step 3");
});

test("every finished turn ends with its totals, in a resumed session too", () => {
  const session = new Builder();
  session.user("One");
  session.answer([{ type: "tool_use", id: "c1", name: "Bash", input: {} }], { stop: "tool_use" });
  session.result("c1", "ok");
  session.answer([{ type: "text", text: "Done." }]);
  session.user("Two");
  const resumed = session.path.reduce(withEntry, initialState("m", "default"));
  const items = [...resumed.items];
  expect(items.map(({ kind }) => kind)).toEqual(["user", "tool", "text", "turn", "user"]);
  const turn = items[3];
  expect(turn?.kind === "turn" && [turn.toolCalls, turn.usages.length]).toEqual([1, 2]);
});

test("a turn's time leaves out what subagents waited for the user", () => {
  const on = new Builder();
  on.user("One");
  on.answer([{ type: "tool_use", id: "c1", name: "Agent", input: {} }], { stop: "tool_use" });
  on.result("c1", "Found.", {
    subagent: { session: "s", type: "Explore", model: "m", calls: 1, usage, usd: 0, waitedMs: 300 },
  });
  on.answer([{ type: "text", text: "Done." }]);
  const [start, end] = [on.path.find(({ type }) => type === "user"), on.path.at(-1)];
  const turn = [...on.path.reduce(withEntry, initialState("m", "default")).items].find(
    ({ kind }) => kind === "turn",
  );
  const whole = Date.parse(end?.at ?? "") - Date.parse(start?.at ?? "");
  expect(turn?.kind === "turn" && turn.ms).toBe(whole - 300);
});

test("the report of a subagent shows its totals, and its call shows its task", () => {
  const session = new Builder();
  const input = { description: "find the till", prompt: "Where?", subagent_type: "Explore" };
  session.user("One");
  session.answer([{ type: "tool_use", id: "c1", name: "Agent", input }], { stop: "tool_use" });
  const subagent = { session: "s", type: "Explore", model: "m", calls: 3, usage, usd: 0.25 };
  session.result("c1", "It is here.", { subagent });
  const resumed = session.path.reduce(withEntry, initialState("m", "default"));
  const tool = resumed.items.find(({ kind }) => kind === "tool");
  if (tool?.kind !== "tool" || !tool.result) throw new Error("There is no result.");
  expect(describeOutcome(tool.call, tool.result)).toBe("3 calls · 140 tokens · $0.25");
  const estimated = { ...tool.result, subagent: { ...subagent, isEstimate: true as const } };
  expect(describeOutcome(tool.call, estimated)).toBe("3 calls · 140 tokens · ~$0.25");
  const { subagent: _, ...page } = tool.result;
  const spent = { model: "m", usage, usd: 0.25, isEstimate: true as const };
  expect(describeOutcome(tool.call, { ...page, spent })).toBe("1 line · ~$0.25");
  expect(callTitle(tool.call.name, tool.call.input)).toBe("Agent Explore: find the till");
});

test("the title of a call shows the input that says most about it", () => {
  expect(callTitle("WebFetch", { url: "https://a.test/b", prompt: "the till" })).toBe(
    "WebFetch https://a.test/b",
  );
  expect(callTitle("Skill", { skill: "count" })).toBe("Skill count");
  const questions = [
    { question: "Which one?", options: [] },
    { question: "And?", options: [] },
  ];
  expect(callTitle("AskUserQuestion", { questions })).toBe("Ask Which one?");
  expect(callTitle("ExitPlanMode", { plan: "# Plan\n\n1. Do it" })).toBe("Plan Plan");
  expect(callTitle("mcp__a__b", { count: 1 })).toBe('mcp__a__b {"count":1}');
});

test("the title of a call that reads a part of a file names the lines", () => {
  const title = (more: object): string => callTitle("Read", { file_path: "a.ts", ...more });
  expect(title({})).toBe("Read a.ts");
  expect(title({ offset: 21, limit: 150 })).toBe("Read a.ts:21-170");
  expect(title({ offset: 21 })).toBe("Read a.ts:21-");
  expect(title({ limit: 150 })).toBe("Read a.ts:1-150");
});
