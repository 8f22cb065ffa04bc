import { expect, test } from "bun:test";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { Builder, call, noPrice, say } from "../../context/build.ts";
import { done, entry, printed, prompt } from "./printed.ts";

const answer = (text: string): AgentEvent =>
  entry({
    type: "assistant",
    content: [{ type: "text", text }],
    model: "m",
    usage: { input: 100, cacheRead: 1_000, cacheWrite: 200, output: 50 },
    stop: "end_turn",
    sentAt: "2026-01-01T00:00:00.000Z",
  });

const ask: Extract<AgentEvent, { type: "ask" }> = {
  type: "ask",
  ask: {
    id: "a",
    toolUse: "a",
    tool: "Bash",
    title: "run \u001b[2Jrm",
    detail: "",
    detailKind: "command",
    rule: "",
  },
};

test("text: only the last answer goes to standard output, progress to standard error", async () => {
  const retry: AgentEvent = { type: "retry", attempt: 1, of: 2, waitMs: 1_000, reason: "busy" };
  const run = await printed("text", [
    answer("first"),
    retry,
    answer(" last \n"),
    done,
    answer("late"),
  ]);
  expect(run).toMatchObject({ code: 0, out: "last\n", log: "retry 1 of 2 in 1 s: busy\n" });
});

test("without a job nothing is done, and the run succeeds", async () => {
  expect(await printed("text", [], { commands: [] })).toMatchObject({ code: 0, out: "", sent: [] });
});

test("events: every event is a line that can be read back", async () => {
  const events = [ask, answer("x"), done];
  const { out, log } = await printed("events", events);
  const lines = out.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(events);
  expect(log).toBe("");
});

test("a missing answer is requested again, until it arrives or the run gives up", async () => {
  const again = { content: [{ type: "text" as const, text: "again" }] };
  const failure = { why: "failed", limit: "structured", message: "no form" } as const;
  const replies = [again, failure];
  const { sent, messages, code } = await printed("stream-json", [answer("x"), done, done], {
    missing: () => replies.shift() ?? null,
  });
  expect(sent.map(({ type }) => type)).toEqual(["prompt", "prompt"]);
  expect(code).toBe(1);
  expect(messages.filter(({ type }) => type === "result")).toMatchObject([
    { subtype: "error_max_structured_output_retries", errors: ["no form"] },
  ]);
});

test("jobs are done one after another, each with its result; a change prints nothing", async () => {
  const { sent, messages } = await printed(
    "stream-json",
    [answer("1"), done, done, answer("2"), done],
    { commands: [prompt, { type: "model", model: "n" }, prompt] },
  );
  expect(sent.map(({ type }) => type)).toEqual(["prompt", "model", "prompt"]);
  const results = messages.filter(({ type }) => type === "result");
  expect(results).toMatchObject([
    { result: "1", num_turns: 1, usage: { input_tokens: 100 } },
    { result: "2", num_turns: 1, usage: { input_tokens: 100 } },
  ]);
  expect(Number(results[1]?.["total_cost_usd"])).toBe(2 * Number(results[0]?.["total_cost_usd"]));
});

test.each([
  [{ type: "idle", why: "failed", message: "The key was refused." } as const, 1],
  [{ type: "idle", why: "stopped" } as const, 130],
])("%o ends with its exit code", async (event, code) => {
  expect((await printed("text", [event])).code).toBe(code);
});

test("events that end without an idle are a failure", async () => {
  expect((await printed("text", [])).code).toBe(1);
});

test("text: a turn without an answer prints nothing, and what ended it goes to standard error", async () => {
  const end: AgentEvent = { type: "idle", why: "failed", message: "The key was refused." };
  expect(await printed("text", [end])).toMatchObject({ out: "", log: "The key was refused.\n" });
  expect(await printed("text", [answer(" \n"), done])).toMatchObject({ out: "", log: "" });
});

test("a turn that was stopped or failed lacks nothing more", async () => {
  const missing = () => ({ content: [{ type: "text" as const, text: "again" }] });
  const stopped: AgentEvent = { type: "idle", why: "stopped" };
  const { sent, code } = await printed("text", [answer("x"), stopped], { missing });
  expect([sent.length, code]).toEqual([1, 130]);
});

test("a change lacks no answer", async () => {
  const missing = () => ({ content: [{ type: "text" as const, text: "again" }] });
  const commands = [{ type: "model", model: "n" } as const];
  const { sent, code } = await printed("text", [done], { commands, missing });
  expect([sent.length, code]).toEqual([1, 0]);
});

const on = new Builder();
const calls = [
  call("1", "Bash", { command: "ls" }),
  call("2", "B\u001b[2J", { command: "a\nb" }),
  call("3", "count", { to: 3 }),
];
const price = { ...noPrice, usedBefore: 5_000, usedAfter: 1_000 };
const reason = "st\u0007ale";
const logged = (made: ReturnType<Builder["add"]>): AgentEvent => ({ type: "entry", entry: made });
const idle = (message: string): AgentEvent => ({ type: "idle", why: "failed", message });
const retry = (why: string): AgentEvent => ({
  type: "retry",
  attempt: 2,
  of: 5,
  waitMs: 600_500,
  reason: why,
});

test.each<[string, AgentEvent, string | null]>([
  ["calls", logged(on.answer([say("Looking."), ...calls])), 'Bash ls\nB [2J a b\ncount {"to":3}'],
  ["an answer", logged(on.answer([say("Looking.")])), null],
  ["a result", logged(on.result("1", "ok", { tool: "Bash" })), null],
  ["a failed one", logged(on.result("1", "no", { tool: "Bash", isError: true })), "Bash failed"],
  [
    "a cut",
    logged(on.add({ type: "cut", tier: "snip", trigger: "auto", reason, changes: [], price })),
    "compacted (snip): 5000 -> 1000 tokens, st ale",
  ],
  ["a note", logged(on.add({ type: "note", kind: "info", text: "n" })), null],
  ["a retry", retry("busy"), "retry 2 of 5 in 601 s: busy"],
  ["a failure", idle("The key was refused."), "The key was refused."],
  ["a question", ask, "denied, nobody to ask: run  [2Jrm"],
  ["a phase", { type: "phase", phase: "tools" }, null],
  ["long advice, which is not cut", idle("x".repeat(900)), "x".repeat(900)],
])("progress: %s", async (_, event, line) => {
  const { log } = await printed("text", [event, ...(event.type === "idle" ? [] : [done])]);
  expect(log).toBe(line === null ? "" : `${line}\n`);
});

test("a long line is cut to 200 characters, never in the middle of one", async () => {
  const words = "retry 2 of 5 in 601 s: \n".length;
  const line = async (why: string) => (await printed("text", [retry(why), done])).log;
  expect(await line("x".repeat(300))).toEndWith(`${"x".repeat(20)}…\n`);
  expect(await line("x".repeat(201))).toHaveLength(words + 200);
  expect((await line(`${"x".repeat(198)}😀${"x".repeat(10)}`)).isWellFormed()).toBe(true);
});
