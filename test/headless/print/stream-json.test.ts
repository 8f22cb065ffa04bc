/** The messages of Claude Code, made from the agent's events. */

import { expect, test } from "bun:test";
import type { AssistantBlock } from "../../../src/protocol/block.ts";
import type { AgentEvent } from "../../../src/protocol/event.ts";
import type { Stop } from "../../../src/protocol/model.ts";
import { done, entry, facts, printed, prompt } from "./printed.ts";

const answer = (content: AssistantBlock[], stop: Stop = "end_turn") =>
  entry({
    type: "assistant",
    content,
    model: "m",
    usage: { input: 100, cacheRead: 1_000, cacheWrite: 200, output: 50 },
    stop,
    sentAt: "2026-01-01T00:00:00.000Z",
  });
const text = (words: string): AssistantBlock => ({ type: "text", text: words });
const call: AssistantBlock = { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } };
const result = entry({
  type: "result",
  toolUse: "t1",
  tool: "Bash",
  content: [{ type: "text", text: "a.txt" }],
  bytes: 5,
  lines: 1,
});
/** The events of the API in the printed messages. */
async function streamed(events: AgentEvent[]) {
  const { messages } = await printed("stream-json", events, { partialMessages: true });
  const of = messages
    .filter(({ type }) => type === "stream_event")
    .map(({ event }) => Object(event));
  return { messages, streamed: of, kinds: of.map(({ type }) => String(type)) };
}
/** The last message that is printed for these events. */
const last = async (...events: AgentEvent[]) => (await printed("stream-json", events)).result;
const failure = (more: Partial<Extract<AgentEvent, { type: "idle" }>>): AgentEvent => ({
  type: "idle",
  why: "failed",
  ...more,
});
const cost = (100 * 2 + 1_000 * 0.2 + 200 * 2.5 + 50 * 10) / 1e6;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("a turn: init, one message per block with the answer's id, the result of the call, the result", async () => {
  const { messages, code } = await printed("stream-json", [
    answer([text("Looking."), call], "tool_use"),
    result,
    answer([text("One file.")]),
    done,
  ]);
  expect(code).toBe(0);
  expect(messages.map(({ type, subtype }) => subtype ?? type)).toEqual([
    "init",
    "assistant",
    "assistant",
    "user",
    "assistant",
    "success",
  ]);
  expect(messages[0]).toMatchObject({
    type: "system",
    model: "m",
    permissionMode: "acceptEdits",
    cwd: "/work",
  });
  expect(messages[1]).toMatchObject({
    message: { role: "assistant", content: [text("Looking.")], stop_reason: null },
    parent_tool_use_id: null,
  });
  expect(new Set(messages.map(({ uuid: id }) => id)).size).toBe(messages.length);
  const ids = messages.map(({ message }) => Object(message).id);
  expect(ids[1]).toBe(ids[2]);
  expect(ids[1]).not.toBe(ids[4]);
  expect(messages[3]).toMatchObject({
    message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "a.txt" }] },
    tool_use_result: { stdout: "a.txt", stderr: "", interrupted: false },
  });
  expect(messages[5]).toMatchObject({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "One file.",
    num_turns: 2,
    stop_reason: "end_turn",
    duration_api_ms: 4_000,
    total_cost_usd: 2 * cost,
    usage: { input_tokens: 200, cache_read_input_tokens: 2_000, output_tokens: 100 },
    modelUsage: { m: { inputTokens: 200, costUSD: 2 * cost, contextWindow: 1_000_000 } },
    permission_denials: [],
  });
  for (const message of messages) {
    expect(message["session_id"]).toBe("s");
    expect(String(message["uuid"])).toMatch(uuid);
  }
});

test("partial messages: the events of the API, in its order, and each piece only once", async () => {
  const thinking: AssistantBlock = { type: "thinking", thinking: "", signature: "x" };
  const { messages, streamed: all } = await streamed([
    { type: "delta", index: 1, kind: "text", text: "Look" },
    { type: "delta", index: 1, kind: "text", text: "ing." },
    { type: "delta", index: 2, kind: "input", text: '{"comm' },
    answer([thinking, text("Looking."), call], "tool_use"),
    { type: "delta", index: 0, kind: "text", text: "lost" },
    { type: "reset" },
    answer([text("whole")]),
    done,
  ]);
  const names = all.map(({ type, index }) => (index === undefined ? type : `${type} ${index}`));
  const block = (index: number, deltas: number): string[] => [
    `content_block_start ${index}`,
    ...Array<string>(deltas).fill(`content_block_delta ${index}`),
    `content_block_stop ${index}`,
  ];
  const ends = ["message_delta", "message_stop"];
  const lost = ["message_start", "content_block_start 0", "content_block_delta 0"];
  const first = ["message_start", ...block(0, 2), ...block(1, 1), ...ends];
  expect(names).toEqual([...first, ...lost, "message_start", ...block(0, 1), ...ends]);
  expect(all[6].delta).toEqual({ type: "input_json_delta", partial_json: '{"command":"ls"}' });
  const { message } = Object(messages.find(({ type }) => type === "assistant"));
  expect(all[0].message.id).toBe(message.id);
});

const wholeAnswer = [
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
];

test("partial messages: the input of a call grows where the server streams it", async () => {
  const growing = { index: 0, kind: "input", call: { id: "t1", name: "Bash" } } as const;
  const { streamed: all, kinds } = await streamed([
    { type: "delta", ...growing, text: '{"command":' },
    { type: "delta", ...growing, text: '"ls"}' },
    answer([call], "tool_use"),
    done,
  ]);
  expect(kinds).toEqual(wholeAnswer);
  expect(all[1].content_block).toEqual({ type: "tool_use", id: "t1", name: "Bash", input: {} });
  const pieces = all.slice(2, 4).map(({ delta }) => delta.partial_json);
  expect(pieces.join("")).toBe('{"command":"ls"}');
});

test("partial messages: thoughts are streamed like words", async () => {
  const { streamed: all, kinds } = await streamed([
    { type: "delta", index: 0, kind: "thinking", text: "Hm" },
    { type: "delta", index: 0, kind: "thinking", text: "m." },
    answer([{ type: "thinking", thinking: "Hmm.", signature: "s" }]),
    done,
  ]);
  expect(kinds).toEqual(wholeAnswer);
  expect(all[1].content_block).toEqual({ type: "thinking", thinking: "", signature: "" });
  expect(all.slice(2, 4).map(({ delta }) => delta)).toEqual([
    { type: "thinking_delta", thinking: "Hm" },
    { type: "thinking_delta", thinking: "m." },
  ]);
});

test("partial messages: an answer without content still begins and ends", async () => {
  const { kinds } = await streamed([answer([]), done]);
  expect(kinds).toEqual(["message_start", "message_delta", "message_stop"]);
});

test("partial messages: an answer begins with the usage of the call before, without its output", async () => {
  const delta: AgentEvent = { type: "delta", index: 0, kind: "text", text: "x" };
  const { streamed: all } = await streamed([
    delta,
    answer([text("x")]),
    delta,
    answer([text("x")]),
    done,
  ]);
  const started = all.flatMap(({ type, message }) => (type === "message_start" ? [message] : []));
  expect(started).toMatchObject([
    { id: expect.stringMatching(/^msg_[0-9a-f]{24}$/), usage: { input_tokens: 0 } },
    { model: "m", content: [], usage: { input_tokens: 100, output_tokens: 0 } },
  ]);
});

test.each([
  [undefined, "error_during_execution"],
  ["turns", "error_max_turns"],
  ["budget", "error_max_budget_usd"],
  ["structured", "error_max_structured_output_retries"],
] as const)("a failure with the limit %s is %s, with its message", async (limit, subtype) => {
  const end = limit ? { limit } : {};
  expect(await last(failure(end))).toMatchObject({ subtype, is_error: true, errors: [] });
  expect(await last(failure({ message: "Full.", ...end }))).toMatchObject({ errors: ["Full."] });
});

test("messages and calls of a subagent are printed under the call that started it", async () => {
  const subagent = { session: "s1", toolUse: "task", type: "scout", prompt: "Look around" };
  const denied: AgentEvent = { type: "denied", toolUse: "t1" };
  const nested = [answer([text("Looking."), call]), answer([text("no")], "failed"), denied, result];
  const { messages } = await printed("stream-json", async function* (printer) {
    yield { type: "phase", phase: "waiting" };
    for (const event of nested) printer.nested(subagent, event);
    yield done;
  });
  expect(messages.slice(1)).toMatchObject([
    { subtype: "task_started", task_id: "s1", tool_use_id: "task", prompt: "Look around" },
    { type: "assistant", parent_tool_use_id: "task", message: { content: [text("Looking.")] } },
    { type: "assistant", parent_tool_use_id: "task", message: { content: [call] } },
    {
      type: "user",
      parent_tool_use_id: "task",
      message: { content: [{ type: "tool_result", tool_use_id: "t1" }] },
    },
    { result: "", num_turns: 0, total_cost_usd: 0, permission_denials: [{ tool_use_id: "t1" }] },
  ]);
});

test("the calls of a script are printed under it, each with its result", async () => {
  const step = entry({
    type: "step",
    outer: "t1",
    toolUse: "t1-1",
    tool: "Read",
    input: { file_path: "a.txt" },
    content: [{ type: "text", text: "words" }],
    bytes: 5,
    lines: 1,
    ms: 3,
  });
  const calls = answer([{ ...call, name: "Script" }], "tool_use");
  const { messages } = await printed("stream-json", [calls, step, result, done]);
  const nested = messages.filter(({ parent_tool_use_id: parent }) => parent === "t1");
  expect(nested).toMatchObject([
    {
      type: "assistant",
      message: {
        content: [{ type: "tool_use", id: "t1-1", name: "Read", input: { file_path: "a.txt" } }],
      },
    },
    {
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: "t1-1", content: "words" }] },
    },
  ]);
  expect(new Set(messages.map(({ uuid: id }) => id)).size).toBe(messages.length);
});

test.each([
  [400, "invalid_request"],
  [413, "invalid_request"],
  [401, "authentication_failed"],
  [403, "authentication_failed"],
  [404, "model_not_found"],
  [429, "rate_limit"],
  [529, "overloaded"],
  [500, "server_error"],
  [499, "unknown"],
  [null, "unknown"],
])("an API error with the status %p is %s, and a result", async (status, error) => {
  const failed = failure({ message: "No.", apiError: { status } });
  const { messages, code } = await printed("stream-json", [failed]);
  expect(code).toBe(1);
  expect(messages.slice(-2)).toMatchObject([
    { type: "assistant", error, message: { model: "<synthetic>" } },
    {
      subtype: "success",
      is_error: true,
      api_error_status: status,
      result: `API Error: ${status === null ? "" : `${status} `}No.`,
    },
  ]);
});

test("a message is repeated once it is in the log, under the client's name or its entry's", async () => {
  const said = entry({ type: "user", content: prompt.content });
  const retry: AgentEvent = { type: "retry", attempt: 1, of: 8, waitMs: 500, reason: "busy" };
  const replayUserMessages = true;
  const named = [{ ...prompt, uuid: "u1" }];
  const { messages } = await printed("stream-json", [retry, said, said, done], {
    replayUserMessages,
    commands: named,
  });
  expect(messages.slice(1, -1)).toMatchObject([
    { subtype: "api_retry", attempt: 1, max_retries: 8, retry_delay_ms: 500 },
    { type: "user", isReplay: true, uuid: "u1", message: { role: "user" } },
  ]);
  said.entry.id = "e1";
  const [, repeated] = (await printed("stream-json", [said, done], { replayUserMessages }))
    .messages;
  // The same in every version.
  expect(repeated?.["uuid"]).toBe("cfe8643c-9dc1-4087-a7b9-4b8f48939904");
  const unlogged = await printed("stream-json", [done], { replayUserMessages });
  expect(unlogged.messages[1]).toMatchObject({ isReplay: true, uuid: expect.stringMatching(uuid) });
});

test("an interrupted turn shows the answer so far and says so", async () => {
  const { messages } = await printed("stream-json", [
    answer([text("So f")], "interrupted"),
    { type: "idle", why: "stopped" },
  ]);
  expect(messages.slice(1)).toMatchObject([
    { type: "assistant", message: { content: [text("So f")] } },
    { type: "user", message: { content: [{ text: "[Request interrupted by user]" }] } },
    { type: "result", subtype: "error_during_execution", is_error: true },
  ]);
});

test("a compaction: its status, its boundary, the summary", async () => {
  const price = { usedBefore: 9_000, usedAfter: 700, cachedBroken: 0, usd: 0, breakEvenCalls: 1 };
  const span = { from: "e1", to: "e2" };
  const cut = entry({
    type: "cut",
    tier: "summary",
    trigger: "command",
    reason: "asked",
    changes: [{ kind: "cover", span, text: "They said hi." }],
    price,
  });
  const { messages } = await printed(
    "stream-json",
    [
      { type: "compaction", state: { step: "started", tier: "summary" } },
      cut,
      { type: "compaction", state: { step: "done" } },
      done,
    ],
    { commands: [{ type: "compact", how: "summarize", trigger: "command" }] },
  );
  expect(messages.slice(1)).toMatchObject([
    { subtype: "status", status: "compacting" },
    {
      subtype: "compact_boundary",
      compact_metadata: { trigger: "manual", pre_tokens: 9_000, post_tokens: 700, tier: "summary" },
    },
    {
      type: "user",
      isSynthetic: true,
      message: { content: "They said hi." },
    },
    { subtype: "status", status: null, compact_result: "success" },
    { subtype: "success", result: "" },
  ]);
});

test("denied calls are listed, and modes reported", async () => {
  const denied: AgentEvent = { type: "denied", toolUse: "t1" };
  const mode: AgentEvent = { type: "mode", mode: "plan" };
  const { messages, result: end } = await printed("stream-json", [
    answer([call], "tool_use"),
    denied,
    mode,
    done,
  ]);
  expect(messages.find(({ subtype }) => subtype === "status")).toMatchObject({
    permissionMode: "plan",
  });
  expect(end).toMatchObject({
    permission_denials: [{ tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "ls" } }],
  });
});

test("on request, the state of the session is printed: running, waiting for an answer, idle", async () => {
  const question = { id: "t1", toolUse: "t1", tool: "Bash", title: "run ls", detail: "ls" };
  const ask: AgentEvent = {
    type: "ask",
    ask: { ...question, detailKind: "command", rule: null },
  };
  const events: AgentEvent[] = [ask, { type: "asked", id: "t1" }, done];
  const { messages } = await printed("stream-json", events, { stateEvents: true });
  const states = messages.filter(({ subtype }) => subtype === "session_state_changed");
  expect(states.map(({ state }) => state)).toEqual([
    "running",
    "requires_action",
    "running",
    "idle",
  ]);
});

test("json: the result alone, or every message", async () => {
  const alone = await printed("json", [answer([text("x")]), done]);
  expect(alone.result).toMatchObject({
    type: "result",
    result: "x",
    num_turns: 1,
    total_cost_usd: cost,
  });
  expect(alone.messages).toHaveLength(1);
});

const formResult = entry({
  type: "result",
  toolUse: "t1",
  tool: "StructuredOutput",
  content: [],
  bytes: 0,
  lines: 0,
});

test("an answer in a required form is the result, as text and as an object", async () => {
  const form: AssistantBlock = { ...call, name: "StructuredOutput", input: { files: 1 } };
  const events = [answer([form], "tool_use"), formResult, done];
  expect(await last(...events)).toMatchObject({
    result: '{"files":1}',
    structured_output: { files: 1 },
  });
  expect((await printed("text", events)).out).toBe('{"files":1}\n');
});

test("without partial messages nothing is streamed, in no format", async () => {
  const events: AgentEvent[] = [
    { type: "delta", index: 0, kind: "text", text: "x" },
    answer([text("x")]),
    done,
  ];
  const { messages } = await printed("stream-json", events);
  expect(messages.map(({ type }) => type)).toEqual(["system", "assistant", "result"]);
  const all = await printed("json", events, { verbose: true });
  expect(all.messages.map(({ type }) => type)).toEqual(["system", "assistant", "result"]);
});

test("init says all that the run offers, in the client's words", async () => {
  const { messages } = await printed("stream-json", [done]);
  const { mode: _, ...others } = facts;
  expect(messages[0]).toEqual({
    type: "system",
    subtype: "init",
    ...others,
    permissionMode: "acceptEdits",
    claude_code_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    output_style: "default",
    plugins: [],
    session_id: "s",
    uuid: expect.stringMatching(uuid),
  });
});

test("a failed call is marked for the client; content that is not text is unchanged", async () => {
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: "AAAA" },
  };
  const of = (content: Extract<typeof result.entry, { type: "result" }>["content"], more = {}) =>
    entry({ type: "result", toolUse: "t", tool: "Read", content, bytes: 0, lines: 0, ...more });
  const shown = async (event: AgentEvent) => {
    const [, message] = (await printed("stream-json", [event, done])).messages;
    const { content } = Object(Object(message)["message"]);
    return [content[0], Object(message)["tool_use_result"]];
  };
  const plain = { tool_use_id: "t", type: "tool_result" };
  expect(await shown(of([{ type: "text", text: "a" }]))).toEqual([{ ...plain, content: "a" }, "a"]);
  expect(await shown(of([{ type: "text", text: "a" }], { isError: true }))).toEqual([
    { ...plain, content: "a", is_error: true },
    "Error: a",
  ]);
  expect(await shown(of([{ type: "text", text: "a" }, image]))).toEqual([
    { ...plain, content: [{ type: "text", text: "a" }, image] },
    "a",
  ]);
});

test.each([
  ["auto", "auto"],
  ["idle", "auto"],
  ["too-long", "auto"],
  ["key", "manual"],
  ["inspector", "manual"],
] as const)("a cut by the trigger %s is %s", async (trigger, expected) => {
  const price = { usedBefore: 9, usedAfter: 7, cachedBroken: 0, usd: 0, breakEvenCalls: 1 };
  const cut = entry({ type: "cut", tier: "snip", trigger, reason: "", changes: [], price });
  const { messages } = await printed("stream-json", [cut, done]);
  expect(messages).toHaveLength(3);
  expect(messages[1]).toMatchObject({ compact_metadata: { trigger: expected } });
});

test("a compaction that failed says why, in its status and as the result", async () => {
  const state = { step: "failed", message: "Too short." } as const;
  const { messages } = await printed("stream-json", [{ type: "compaction", state }, done]);
  expect(messages.slice(1)).toMatchObject([
    { subtype: "status", status: null, compact_result: "failed", compact_error: "Too short." },
    { result: "Too short." },
  ]);
});

test("a change is neither announced nor answered; the next answers start over", async () => {
  const { messages } = await printed("stream-json", [done, answer([text("x")]), done], {
    commands: [{ type: "model", model: "n" }, prompt],
    stateEvents: true,
  });
  expect(messages.map(({ subtype, type }) => subtype ?? type)).toEqual([
    "session_state_changed",
    "init",
    "assistant",
    "success",
    "session_state_changed",
  ]);
});
