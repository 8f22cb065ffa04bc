/** The fake refuses what the real API refuses, in its words. */

import { afterAll, beforeEach, expect, test } from "bun:test";
import { startFakeApi } from "./server.ts";
import type { WireBlock } from "./wire.ts";

let nowMs = 0;
const fake = startFakeApi({
  windowTokens: 20_000,
  outputTokens: 4_000,
  cacheMinimumTokens: 10,
  now: () => nowMs,
  respond: () => [text("ok")],
});
afterAll(() => fake.stop());
beforeEach(() => {
  nowMs = 0;
});

const text = (words: string, more: object = {}): WireBlock => ({
  type: "text",
  text: words,
  ...more,
});
const use = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "x" });
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const tools = [{ name: "read", input_schema: { type: "object" } }];
const mark = { cache_control: { type: "ephemeral" } };

async function call(body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${fake.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "k", "anthropic-version": "2023-06-01", ...headers },
    body: JSON.stringify({
      model: "claude-sonnet-5-5",
      max_tokens: 100,
      stream: true,
      tools,
      ...body,
    }),
  });
  const raw = await response.text();
  return { status: response.status, raw };
}

const hello = user(text("hello"));

test.each([
  ["no message", { messages: [] }, "at least one message"],
  ["the assistant first", { messages: [assistant(text("a"))] }, "first message must use"],
  ["two of one role", { messages: [hello, hello] }, "roles must alternate"],
  ["an empty message", { messages: [user()] }, "non-empty content"],
  ["empty text", { messages: [user(text(""))] }, "text content blocks must be non-empty"],
  ["white text", { messages: [user(text("  \n"))] }, "non-whitespace"],
  ["prefill", { messages: [hello, assistant(text("I"))] }, "prefill"],
  [
    "an open call",
    { messages: [hello, assistant(use("a")), user(text("go on"))] },
    "without `tool_result` blocks immediately after: a",
  ],
  ["a result without a call", { messages: [user(result("a"))] }, "unexpected `tool_use_id`"],
  [
    "two results of one call",
    { messages: [hello, assistant(use("a")), user(result("a"), result("a"))] },
    "single result",
  ],
  [
    "words before a result",
    { messages: [hello, assistant(use("a")), user(text("so"), result("a"))] },
    "must come first",
  ],
  [
    "five marks",
    { messages: [user(...[1, 2, 3, 4, 5].map((n) => text(`${n}`, mark)))] },
    "maximum of 4 blocks with cache_control",
  ],
  [
    "a marked thought",
    {
      messages: [
        hello,
        assistant({ type: "thinking", thinking: "x", signature: "y", ...mark }, use("a")),
        user(result("a")),
      ],
    },
    "thinking.cache_control",
  ],
  [
    "a forged thought",
    {
      messages: [
        hello,
        assistant({ type: "thinking", thinking: "x", signature: "y" }, use("a")),
        user(result("a")),
      ],
    },
    "Invalid `signature`",
  ],
  [
    "a forced tool with thinking",
    { messages: [hello], tool_choice: { type: "any" }, thinking: { type: "adaptive" } },
    "tool_choice forces",
  ],
  ["too long a prompt", { messages: [user(text("x".repeat(70_000)))] }, "prompt is too long: "],
  [
    "too long an answer",
    { messages: [hello], max_tokens: 5_000 },
    "maximum allowed number of output tokens",
  ],
  ["no answer at all", { messages: [hello], max_tokens: 0 }, "max_tokens"],
  [
    "twice the same tool",
    { messages: [hello], tools: [...tools, ...tools] },
    "Tool names must be unique",
  ],
  [
    "binding controls without their beta",
    {
      messages: [hello],
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    },
    "needs beta",
  ],
])("refuses %s", async (_, body, words) => {
  const { status, raw } = await call(body);
  expect(status).toBe(400);
  expect(JSON.parse(raw)).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error" },
  });
  expect(raw).toContain(words.replaceAll('"', '\\"'));
});

test("refuses a wrong key, an unknown model, a missing version", async () => {
  expect((await call({ messages: [hello] }, { "x-api-key": "wrong" })).status).toBe(401);
  expect((await call({ messages: [hello] }, { "anthropic-version": "" })).status).toBe(400);
  const model = await fetch(`${fake.url}/v1/models/unknown`, {
    headers: { "x-api-key": "k", "anthropic-version": "1" },
  });
  expect(model.status).toBe(404);
});

/** Runs a call whose answer thinks, and gives the thought with its signature. */
async function think(body: { messages: object[] }): Promise<object> {
  fake.next([{ type: "thinking", thinking: "hm" }, { ...use("a") }]);
  const { raw } = await call(body);
  const signature = /"signature":"(v1[^"]+)"/.exec(raw)?.[1];
  return { type: "thinking", thinking: "hm", signature };
}

test("a thought is valid only where it was made", async () => {
  const thought = await think({ messages: [hello] });
  const loop = (first: object) => ({
    messages: [first, assistant(thought, use("a")), user(result("a"))],
  });
  expect((await call(loop(hello))).status).toBe(200);
  expect((await call(loop(user(text("hello", mark))))).status).toBe(200);
  expect((await call(loop(user(text("other"))))).raw).toContain(
    "bound to a different conversation",
  );
  expect((await call({ ...loop(hello), system: [text("new")] })).raw).toContain(
    "bound to a different conversation",
  );
  const without = { messages: [hello, assistant(use("a")), user(result("a"))] };
  expect((await call(without)).raw).toContain("latest assistant message cannot be modified");
  const dropping = {
    thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
  };
  const beta = { "anthropic-beta": "thinking-binding-controls-2026-08-01" };
  const dropped = await call({ ...loop(user(text("other"))), ...dropping }, beta);
  expect(dropped.status).toBe(200);
  expect(dropped.raw).toContain("thinking_dropped");
});

test("bills the cache by prefix, mark and time", async () => {
  const usageOf = async (...content: object[]) => {
    const { raw } = await call({ messages: [user(...content)] });
    const numbers = [
      ...raw.matchAll(
        /"(input_tokens|cache_read_input_tokens|cache_creation_input_tokens)":(\d+)/g,
      ),
    ];
    return Object.fromEntries(numbers.map(([, name, value]) => [name, Number(value)]));
  };
  const long = "y".repeat(3_000);
  const first = await usageOf(text(long, mark));
  expect(first["cache_read_input_tokens"]).toBe(0);
  expect(first["cache_creation_input_tokens"]).toBeGreaterThan(1_000);
  nowMs += 200_000;
  const again = await usageOf(text(long), text("more", mark));
  expect(again["cache_read_input_tokens"]).toBe(first["cache_creation_input_tokens"]);
  nowMs += 200_000;
  expect(
    (await usageOf(text(long), text("most", mark)))["cache_read_input_tokens"],
  ).toBeGreaterThan(0);
  nowMs += 300_001;
  expect((await usageOf(text(long), text("late", mark)))["cache_read_input_tokens"]).toBe(0);
  expect((await usageOf(text(`x${long}`, mark)))["cache_read_input_tokens"]).toBe(0);
});
