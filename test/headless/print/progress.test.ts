import { expect, test } from "bun:test";
import { progressLine } from "../../../src/headless/print/formats.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import { Builder, call, noPrice, say } from "../../context/build.ts";

const on = new Builder();
const calls = [
  call("1", "Bash", { command: "ls" }),
  call("2", "B\u001b[2J", { command: "a\nb" }),
  call("3", "count", { to: 3 }),
];
const price = { ...noPrice, usedBefore: 5_000, usedAfter: 1_000 };
const reason = "st\u0007ale";
const entry = (made: ReturnType<Builder["add"]>): AgentEvent => ({ type: "entry", entry: made });
const idle = (message: string): AgentEvent => ({ type: "idle", why: "failed", message });
const retry = (why: string): AgentEvent => ({
  type: "retry",
  attempt: 2,
  of: 5,
  waitMs: 600_500,
  reason: why,
});

test.each<[string, AgentEvent, string | null]>([
  ["calls", entry(on.answer([say("Looking."), ...calls])), 'Bash ls\nB [2J a b\ncount {"to":3}'],
  ["an answer", entry(on.answer([say("Looking.")])), null],
  ["a result", entry(on.result("1", "ok", { tool: "Bash" })), null],
  ["a failed one", entry(on.result("1", "no", { tool: "Bash", isError: true })), "Bash failed"],
  [
    "a cut",
    entry(on.add({ type: "cut", tier: "snip", trigger: "auto", reason, changes: [], price })),
    "compacted (snip): 5000 -> 1000 tokens, st ale",
  ],
  ["a note", entry(on.add({ type: "note", kind: "info", text: "n" })), null],
  ["a retry", retry("busy"), "retry 2 of 5 in 601 s: busy"],
  ["a failure", idle("The key was refused."), "The key was refused."],
  ["the end", { type: "idle", why: "done" }, null],
  ["a phase", { type: "phase", phase: "tools" }, null],
  ["long advice, which is not cut", idle("x".repeat(900)), "x".repeat(900)],
])("%s", (_, event, line) => {
  expect(progressLine(event)).toBe(line);
});

test("a long line is cut to 200 characters, never in the middle of one", () => {
  const words = "retry 2 of 5 in 601 s: ".length;
  const line = (why: string): string => progressLine(retry(why)) ?? "";
  expect(line("x".repeat(300))).toEndWith(`${"x".repeat(20)}…`);
  expect(line("x".repeat(201))).toHaveLength(words + 200);
  expect(line(`${"x".repeat(198)}😀${"x".repeat(10)}`).isWellFormed()).toBe(true);
});
