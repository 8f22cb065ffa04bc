import { expect, test } from "bun:test";
import { contextFact } from "../../../src/protocol/context-fact.ts";
import type { Usage } from "../../../src/protocol/model.ts";
import { Builder, call, rules, say } from "../../context/build.ts";
import { stage } from "../stage.ts";
import { plainRows } from "./call-rows.ts";

const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 40 };

/** The last row of a finished turn of two calls, `ms` after its beginning. */
function totals(
  usages: Usage[],
  options: { ms?: number; prices?: object; subagent?: boolean } = {},
) {
  const { ms = 2_000, prices = {}, subagent = false } = options;
  const session = new Builder();
  session.user("One");
  const before = session.nowMs;
  for (const [at, each] of usages.slice(0, -1).entries()) {
    session.answer([call(`c${at}`)], { usage: each });
    const report = { session: "s", type: "Explore", model: "m", calls: 1, usage, usd: 0.25 };
    session.result(`c${at}`, "ok", subagent ? { subagent: report } : {});
  }
  session.nowMs = before + ms - 1_000;
  session.answer([say("Done.")], { usage: usages.at(-1) ?? usage });
  const priced = { ...rules, prices: { ...rules.prices, ...prices } };
  return stage(session, { rules: priced }).transcript(120).at(-1);
}

test("a turn ends with every call of the model, priced call by call", () => {
  const prices = { input: 1, output: 10, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
  const second = { input: 10, cacheRead: 5_800, cacheWrite: 200, output: 372 };
  expect(totals([usage, second], { ms: 14_200, prices })).toBe(
    "14.2 s · 1 tool call · 6.1k tokens read (5.8k from cache), 412 written · $0.0051",
  );
});

test("leaves out what is zero, and says so of a turn of less than a second", () => {
  const prices = { input: 0, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  expect(totals([usage], { prices, ms: 0 })).toBe("100 tokens read, 40 written");
  expect(totals([usage], { prices, ms: 200 })).toBe("under 1 s · 100 tokens read, 40 written");
  const none = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
  expect(totals([none], { prices, ms: 200 })).toBe("under 1 s");
  expect(totals([{ ...none, output: 1 }], { prices })).toContain("1 written");
});

test("a turn that the agent begins itself ends with its totals, too, since the message that began it", () => {
  const session = new Builder();
  session.user("One");
  session.answer([say("Done.")], { usage });
  session.nowMs += 3_600_000;
  session.add(contextFact("reminder", "Background command finished: make", "It is built."));
  session.nowMs += 4_000;
  session.answer([say("It is built.")], { usage });
  const lines = stage(session, { rules }).transcript(120);
  const ends = lines.filter((line) => line.includes(" written"));
  expect(ends).toEqual([
    expect.stringMatching(/^1\.0 s · 100 tokens read, 40 written/),
    expect.stringMatching(/^5\.0 s · 100 tokens read, 40 written/),
  ]);
});

test("counts subagents, and adds their cost at their own prices", () => {
  const prices = { input: 1, output: 10, cacheRead: 0.1, cacheWrite5m: 1.25, cacheWrite1h: 2 };
  expect(totals([usage, usage], { prices, subagent: true })).toBe(
    "2.0 s · 1 tool call · 1 subagent · 200 tokens read, 80 written · $0.25",
  );
});

test("a turn's time leaves out what it and its subagents waited for the user, whatever was pinned meanwhile", () => {
  const session = new Builder();
  const first = session.user("One");
  const report = { session: "s", type: "Explore", model: "m", calls: 1, usage, usd: 0 };
  session.step("c1", "Found.", { tool: "Agent", subagent: { ...report, waitedMs: 1_300 } });
  session.answer([call("c2", "Bash")]);
  session.wait(50_000);
  session.add({ type: "pin", entry: first.id, on: true });
  session.wait(50_000);
  session.add({ type: "note", kind: "permission", text: "allowed (once): Run a command" });
  session.result("c2", "ok", { tool: "Bash" });
  for (const tool of ["AskUserQuestion", "ExitPlanMode"]) {
    session.answer([call(`read ${tool}`), call(tool, tool)]);
    session.wait(9_000);
    session.result(`read ${tool}`, "text");
    session.wait(3_600_000);
    session.result(tool, "The user's answers.", { tool });
  }
  session.answer([say("Done.")]);
  // Its entries are a second apart; the reads beside the questions took ten.
  expect(stage(session).transcript(120).at(-1)).toStartWith("25.7 s · ");
});

test("the title of a call shows the input that says most about it", () => {
  const title = (name: string, input: Record<string, unknown>): string =>
    plainRows("ok", { name, input, columns: 120 })[0]?.split(/ {2,}/)[0]?.slice(2) ?? "";
  const task = { description: "find the till", prompt: "Where?" };
  expect(title("Agent", { ...task, subagent_type: "Explore" })).toBe(
    "Agent Explore: find the till",
  );
  expect(title("Agent", task)).toBe("Agent general-purpose: find the till");
  expect(title("WebFetch", { url: "https://a.test/b", prompt: "the till" })).toBe(
    "WebFetch https://a.test/b",
  );
  expect(title("Skill", { skill: "count" })).toBe("Skill count");
  const questions = [
    { question: "Which one?", options: [] },
    { question: "And?", options: [] },
  ];
  expect(title("AskUserQuestion", { questions })).toBe("Ask Which one?");
  expect(title("ExitPlanMode", { plan: "# Plan\n\n1. Do it" })).toBe("Plan Plan");
  expect(title("mcp__a__b", { count: 1 })).toBe('mcp__a__b {"count":1}');
  expect(title("Grep", { pattern: "x", path: "src" })).toBe("Grep x in src");
  expect(title("Read", { file_path: "a.ts" })).toBe("Read a.ts");
  expect(title("Read", { file_path: "a.ts", offset: 1 })).toBe("Read a.ts");
  expect(title("Read", { file_path: "a.ts", offset: 21, limit: 150 })).toBe("Read a.ts:21-170");
  expect(title("Read", { file_path: "a.ts", offset: 21 })).toBe("Read a.ts:21-");
  expect(title("Read", { file_path: "a.ts", limit: 150 })).toBe("Read a.ts:1-150");
});

test("an answer that is retried shows nothing of the first attempt", () => {
  const { transcript, store } = stage(new Builder());
  const stream = (text: string): void =>
    store.take({ type: "delta", index: 0, kind: "text", text });
  store.take({ type: "phase", phase: "waiting" });
  stream("The first attempt.\n\n- one\n");
  expect(transcript()).toContain("The first attempt.");
  store.take({ type: "reset" });
  stream("Another attempt, with more words.\n\n- two\n");
  expect(transcript().slice(1)).toEqual(["Another attempt, with more words.", "", "• two"]);
});
