import { expect, test } from "bun:test";
import { printRun, type OutputFormat } from "../../src/print/print.ts";
import type { Command } from "../../src/protocol/command.ts";
import type { AgentEvent } from "../../src/protocol/event.ts";

const usage = { input: 100, cacheRead: 1_000, cacheWrite: 200, output: 50 };
const answer = (text: string): AgentEvent => ({
  type: "entry",
  entry: {
    id: "e2",
    parent: "e1",
    at: "2026-01-01T00:00:00.000Z",
    type: "assistant",
    content: [{ type: "text", text }],
    model: "m",
    usage,
    stop: "end_turn",
    sentAt: "2026-01-01T00:00:00.000Z",
  },
});
const ask: AgentEvent = {
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

async function print(format: OutputFormat, events: AgentEvent[]) {
  const sent: Command[] = [];
  let out = "";
  let log = "";
  async function* stream(): AsyncGenerator<AgentEvent> {
    yield* events;
  }
  const code = await printRun({
    events: stream(),
    send: (command) => sent.push(command),
    format,
    session: "s",
    prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 },
    out: (text) => (out += text),
    log: (text) => (log += text),
  });
  return { code, out, log, sent };
}

test("a summary to review is declined: there is nobody to read it", async () => {
  const review: AgentEvent = {
    type: "compaction",
    state: { step: "review", id: "r", text: "a summary" },
  };
  const { sent } = await print("text", [review, { type: "idle", why: "done" }]);
  expect(sent).toEqual([{ type: "review", id: "r", text: null }]);
});

const done: AgentEvent = { type: "idle", why: "done" };

test("text: only the last answer goes to standard output", async () => {
  const run = await print("text", [answer("first"), answer("last"), done]);
  expect(run).toMatchObject({ code: 0, out: "last\n" });
});

test("events: every event is a line that can be read back", async () => {
  const events = [ask, answer("x"), done];
  const { out } = await print("events", events);
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual(events);
});

test("json: one object with the answer, the usage and the cost", async () => {
  const { out } = await print("json", [answer("x"), answer("y"), done]);
  expect(JSON.parse(out)).toMatchObject({
    session: "s",
    end: "done",
    answer: "y",
    calls: 2,
    usage: { input: 200, cacheRead: 2_000, cacheWrite: 400, output: 100 },
    costUsd: (200 * 2 + 2_000 * 0.2 + 400 * 2.5 + 100 * 10) / 1e6,
  });
});

test("with nobody to ask, approval is denied with a hint; control characters are removed", async () => {
  const { sent, log } = await print("text", [ask, done]);
  expect(sent).toMatchObject([{ type: "answer", id: "a", answer: { allow: false } }]);
  expect(JSON.stringify(sent)).toContain("--permission-mode");
  expect(log).not.toContain("\u001b");
});

test("text: progress goes to standard error, and nothing after the run is idle is read", async () => {
  const retry: AgentEvent = { type: "retry", attempt: 1, of: 2, waitMs: 1_000, reason: "busy" };
  const run = await print("text", [retry, answer(" padded \n"), done, answer("too late")]);
  expect(run).toMatchObject({ out: "padded\n", log: "retry 1 of 2 in 1 s: busy\n" });
  expect((await print("events", [retry, done])).log).toBe("");
});

test("json: cuts are counted, the message of the end is there, failed calls do not count", async () => {
  const price = { usedBefore: 1, usedAfter: 0, cachedBroken: 0, usd: 0, breakEvenCalls: 1 };
  const cut: AgentEvent = {
    type: "entry",
    entry: {
      id: "e3",
      parent: "e2",
      at: "",
      type: "cut",
      tier: "snip",
      trigger: "auto",
      reason: "stale",
      changes: [],
      price,
    },
  };
  const failed = answer("");
  if (failed.type === "entry" && failed.entry.type === "assistant") failed.entry.stop = "failed";
  const end: AgentEvent = { type: "idle", why: "failed", message: "The key was refused." };
  const { out } = await print("json", [answer("x"), cut, failed, end]);
  expect(JSON.parse(out)).toMatchObject({
    end: "failed",
    message: "The key was refused.",
    answer: "x",
    calls: 1,
    cuts: 1,
    usage: { cacheWrite1h: 0 },
  });
  expect(JSON.parse((await print("json", [done])).out)).toMatchObject({
    cuts: 0,
    calls: 0,
    costUsd: 0,
  });
});

test.each([
  [{ type: "idle", why: "failed", message: "The key was refused." } as const, 1],
  [{ type: "idle", why: "stopped" } as const, 130],
])("%o ends with its exit code", async (event, code) => {
  expect((await print("text", [event])).code).toBe(code);
});

test("events that end without an idle are a failure", async () => {
  expect((await print("text", [])).code).toBe(1);
});
