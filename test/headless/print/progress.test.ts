import { expect, test } from "bun:test";
import { progressLine } from "../../../src/headless/print/formats.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";

function entryLine(fact: Fact): string | null {
  const entry: Entry = { id: "e1", parent: null, at: "", ...fact };
  return progressLine({ type: "entry", entry });
}

const result = {
  type: "result",
  toolUse: "t",
  tool: "Bash",
  content: [],
  bytes: 0,
  lines: 0,
} as const;
const idle = (message: string): AgentEvent => ({ type: "idle", why: "failed", message });

test("each tool call of an answer is a line", () => {
  const call = (name: string, input: { [key: string]: unknown }) => {
    return { type: "tool_use" as const, id: name, name, input };
  };
  const answer = {
    type: "assistant",
    model: "m",
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
    stop: "tool_use",
    sentAt: "",
  } as const;
  const text = { type: "text" as const, text: "Looking." };
  expect(
    entryLine({
      ...answer,
      content: [
        text,
        call("Bash", { command: "ls" }),
        call("B\u001b[2J", { command: "a\nb" }),
        call("count", { to: 3 }),
      ],
    }),
  ).toBe('Bash ls\nB [2J a b\ncount {"to":3}');
  expect(entryLine({ ...answer, content: [text] })).toBeNull();
});

test("only failed results are worth a line", () => {
  expect(entryLine({ ...result, content: [] })).toBeNull();
  expect(entryLine({ ...result, content: [], isError: true })).toBe("Bash failed");
});

test("a cut says what it freed and why", () => {
  const price = { usedBefore: 5_000, usedAfter: 1_000, cachedBroken: 0, usd: 0, breakEvenCalls: 1 };
  expect(
    entryLine({
      type: "cut",
      tier: "snip",
      trigger: "auto",
      reason: "st\u0007ale",
      changes: [],
      price,
    }),
  ).toBe("compacted (snip): 5000 -> 1000 tokens, st ale");
});

test("a retry, a denied call and the end are a line each; the rest is not", () => {
  const retry = { type: "retry", attempt: 2, of: 5, waitMs: 600_500, reason: "busy" } as const;
  expect(progressLine(retry)).toBe("retry 2 of 5 in 601 s: busy");
  expect(progressLine(idle("The key was refused."))).toBe("The key was refused.");
  expect(progressLine({ type: "idle", why: "done" })).toBeNull();
  expect(progressLine({ type: "phase", phase: "tools" })).toBeNull();
  expect(entryLine({ type: "note", kind: "info", text: "n" })).toBeNull();
});

test("a long line is cut to 200 characters, never in the middle of one", () => {
  const retry = (reason: string) =>
    progressLine({ type: "retry", attempt: 1, of: 2, waitMs: 0, reason }) ?? "";
  expect(retry("x".repeat(300))).toEndWith(`${"x".repeat(20)}…`);
  const words = "retry 1 of 2 in 0 s: ".length;
  expect(retry("x".repeat(201))).toHaveLength(words + 200);
  expect(retry(`${"x".repeat(198)}😀${"x".repeat(10)}`).isWellFormed()).toBe(true);
});

test("advice at the end of a turn is not cut", () => {
  expect(progressLine(idle("x".repeat(900)))).toBe("x".repeat(900));
});
