/** The fake refuses what the real API refuses, with the same messages, and nothing else. */

import { expect, test } from "bun:test";
import { z } from "zod";
import {
  assistant,
  ask,
  bindingBeta,
  post,
  refusal,
  result,
  text,
  tools,
  use,
  user,
} from "./ask.ts";
import { FakeApi, say, startFakeApi, type FakeApiOptions } from "./index.ts";

const answering = (options: FakeApiOptions = {}) =>
  new FakeApi({ responder: () => say("ok"), ...options });

const mark = { type: "ephemeral" };
const marked = (n: number) => text(`part ${n}`, mark);
const call = [user("hi"), assistant(use("a"))];

const later = { name: "later", input_schema: { type: "object" }, defer_loading: true };
const reference = (tool_name: string) => ({ type: "tool_reference", tool_name });

const refused: [string, object, string][] = [
  ["no messages", { messages: [] }, "at least one message is required"],
  ["a start by the assistant", { messages: [assistant("hi")] }, 'must use the "user" role'],
  ["two of the user's", { messages: [user("a"), user("b")] }, "roles must alternate"],
  [
    "two of the assistant's",
    { messages: [user("a"), assistant("b"), assistant("c"), user("d")] },
    "roles must alternate",
  ],
  ["an unknown role", { messages: [{ role: "tool", content: "x" }] }, "messages.0.role"],
  ["empty content", { messages: [user()] }, "messages.0: all messages must have non-empty"],
  ["empty words", { messages: [{ role: "user", content: "" }] }, "must have non-empty content"],
  ["an empty block", { messages: [user("")] }, "text content blocks must be non-empty"],
  ["a blank block", { messages: [user(" \n")] }, "must contain non-whitespace text"],
  [
    "an empty block in a result",
    { tools, messages: [...call, user(result("a", [text("")]))] },
    "text content blocks must be non-empty",
  ],
  [
    "a reference to a tool that is not there",
    { tools, messages: [...call, user(result("a", [reference("later")]))] },
    "Tool reference 'later' not found in available tools",
  ],
  [
    "a reference beside words",
    {
      tools: [...tools, later],
      messages: [...call, user(result("a", [reference("later"), text("x")]))],
    },
    "cannot be mixed with other content",
  ],
  ["nothing but deferred tools", { tools: [later], messages: [user("a")] }, "At least one tool"],
  [
    "a mark on a deferred tool",
    { tools: [...tools, { ...later, cache_control: mark }], messages: [user("a")] },
    "cache_control cannot be set on a tool with defer_loading",
  ],
  [
    "deferred tools for an old model",
    {
      model: "claude-3-5-haiku-20241022",
      max_tokens: 100,
      tools: [...tools, later],
      messages: [user("a")],
    },
    "defer_loading is not supported",
  ],
  ["a mark on nothing", { messages: [user(text("", mark))] }, "cache_control cannot be set"],
  ["a prefill", { messages: [user("a"), assistant("b")] }, "does not support assistant message"],
  ["a call in the user's mouth", { messages: [user(use("a"))] }, "`tool_use` blocks can only"],
  [
    "a result in the assistant's",
    { messages: [user("a"), assistant(result("x")), user("b")] },
    "`tool_result` blocks can only",
  ],
  ["a call without a result", { tools, messages: [...call, user("b")] }, "immediately after: a."],
  ["a call at the end", { tools, messages: call }, "immediately after: a."],
  [
    "a result behind a word",
    { tools, messages: [...call, user("b", result("a"))] },
    "immediately after: a.",
  ],
  [
    "one of two results",
    {
      tools,
      messages: [user("hi"), assistant(use("a"), use("b")), user(result("a"))],
    },
    "immediately after: b.",
  ],
  ["a result without a call", { messages: [user(result("a"))] }, "unexpected `tool_use_id`"],
  [
    "a result too late",
    { tools, messages: [...call, user(result("a")), assistant("b"), user(result("a"))] },
    "unexpected `tool_use_id` found in `tool_result` blocks: a",
  ],
  [
    "two results of one call",
    { tools, messages: [...call, user(result("a"), result("a"))] },
    "each tool_use must have a single result",
  ],
  [
    "one id for two calls",
    {
      tools,
      messages: [...call, user(result("a")), assistant(use("a")), user(result("a"))],
    },
    "ids must be unique",
  ],
  [
    "five marks",
    { messages: [user(...[1, 2, 3, 4, 5].map(marked))] },
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "an hour's mark behind a shorter one",
    { messages: [user(marked(1), text("x", { ...mark, ttl: "1h" }))] },
    "a ttl='1h' cache_control block must not come after",
  ],
  ["another kind of mark", { messages: [user(text("x", { type: "forever" }))] }, "'ephemeral'"],
  [
    "a mark on thinking",
    {
      messages: [
        user("a"),
        assistant({ type: "thinking", thinking: "", signature: "s", cache_control: mark }, "b"),
        user("c"),
      ],
    },
    "messages.1.content.0.cache_control: Extra inputs are not permitted",
  ],
  [
    "a made-up signature",
    {
      messages: [
        user("a"),
        assistant({ type: "thinking", thinking: "hm", signature: "x.y" }, "b"),
        user("c"),
      ],
    },
    "messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  ["an answer too long", { max_tokens: 128_001, messages: [user("a")] }, "128001 > 128000"],
  [
    "less than no room for an answer",
    { max_tokens: -1, messages: [user("a")] },
    "max_tokens: Input should be greater than or equal to 0",
  ],
  [
    "a stream without an answer",
    { max_tokens: 0, stream: true, messages: [user("a")] },
    "`max_tokens: 0` cannot be combined with streaming or a thinking budget.",
  ],
  [
    "a forced tool",
    { tools, tool_choice: { type: "any" }, messages: [user("a")] },
    "Thinking may not be enabled when tool_choice forces tool use.",
  ],
  [
    "one forced tool",
    { tools, tool_choice: { type: "tool", name: "read" }, messages: [user("a")] },
    "Thinking may not be enabled when tool_choice forces tool use.",
  ],
  [
    "a tool that is not there",
    { tools, tool_choice: { type: "tool", name: "write" }, messages: [user("a")] },
    "Tool 'write' not found",
  ],
  [
    "an unknown choice",
    { tools, tool_choice: { type: "some" }, messages: [user("a")] },
    "tool_choice.type: Input tag",
  ],
  ["a choice of no tools", { tool_choice: { type: "any" }, messages: [user("a")] }, "tool_choice"],
  ["two tools of a name", { tools: [...tools, ...tools], messages: [user("a")] }, "must be unique"],
  [
    "a tool's bad name",
    { tools: [{ ...tools[0], name: "a b" }], messages: [user("a")] },
    "tools.0.name: String should match pattern",
  ],
  [
    "a tool without schema",
    { tools: [{ name: "x" }], messages: [user("a")] },
    "tools.0.input_schema",
  ],
  [
    "a tool that takes no object",
    { tools: [{ name: "x", input_schema: { type: "string" } }], messages: [user("a")] },
    "'object'",
  ],
  ["disabled thinking", { thinking: { type: "disabled" }, messages: [user("a")] }, "not supported"],
  [
    "binding without its beta",
    { thinking: { type: "adaptive", block_binding: {} }, messages: [user("a")] },
    "thinking.adaptive.block_binding: Extra inputs are not permitted",
  ],
  [
    "compaction without its beta",
    { compaction: { type: "summarize" }, messages: [user("a")] },
    "compaction: Extra inputs are not permitted",
  ],
  ["a field of no meaning", { temperatur: 1, messages: [user("a")] }, "temperatur: Extra inputs"],
  [
    "messages that are not a list",
    { messages: "hello" },
    "messages: Input should be a valid array",
  ],
];

test.each(refused)("refuses %s", async (_, body, words) => {
  const api = answering();
  const reply = await ask(api, body);
  expect(reply).toMatchObject({ status: 400, type: "invalid_request_error" });
  expect("message" in reply && reply.message).toContain(words);
  expect(api.refusals).toHaveLength(1);
  expect(api.failures).toEqual([]);
});

const accepted: [string, object][] = [
  ["words", { messages: [{ role: "user", content: "hi" }] }],
  ["calls and results", { tools, messages: [...call, user(result("a"), "and then")] }],
  [
    "parallel calls, results in any order",
    {
      tools,
      messages: [user("hi"), assistant(use("a"), use("b")), user(result("b"), result("a"))],
    },
  ],
  ["a result without content", { tools, messages: [...call, user(result("a", []))] }],
  ["four marks", { messages: [user(...[1, 2, 3, 4].map(marked))] }],
  [
    "an hour's mark before a shorter one",
    { messages: [user(text("x", { ...mark, ttl: "1h" }), marked(1))] },
  ],
];

test.each(accepted)("accepts %s", async (_, body) => {
  expect(await refusal(answering(), body)).toBeNull();
});

test("a deferred tool counts where it is referred to, and nowhere else", async () => {
  const count = async (body: object): Promise<number> => {
    const path = "/v1/messages/count_tokens";
    const response = await post(answering(), { model: "claude-sonnet-5-5", ...body }, { path });
    return z.object({ input_tokens: z.number() }).parse(await response.json()).input_tokens;
  };
  const messages = [...call, user(result("a", [text("x")]))];
  const without = await count({ tools, messages });
  expect(await count({ tools: [...tools, later], messages })).toBe(without);
  const referring = [...call, user(result("a", [reference("later")]))];
  expect(await count({ tools: [...tools, later], messages: referring })).toBeGreaterThan(without);
});

test("older models take a prefill and a forced tool", async () => {
  const older = { model: "claude-sonnet-4-5" };
  const api = answering();
  expect(await refusal(api, { ...older, messages: [user("a"), assistant("b")] })).toBeNull();
  expect(await refusal(api, { ...older, messages: [user("a"), assistant("b ")] })).toContain(
    "trailing whitespace",
  );
  const forced = { ...older, tools, tool_choice: { type: "any" }, messages: [user("a")] };
  expect(await refusal(api, forced)).toBeNull();
});

test("neighbors of one role are one turn where that is asked for, as documented", async () => {
  const api = answering({ alternation: "merge" });
  expect(await refusal(api, { messages: [user("a"), user("b")] })).toBeNull();
  const split = [
    user("hi"),
    assistant(use("a")),
    assistant(use("b")),
    user(result("a")),
    user(result("b")),
  ];
  expect(await refusal(api, { tools, messages: split })).toBeNull();
});

test("asks for a key, the right key, a version and a known model", async () => {
  const api = answering({ key: "right" });
  const body = { messages: [user("a")] };
  const as = (headers: Record<string, string>) => ask(api, body, { headers });
  expect(await as({ "x-api-key": "" })).toMatchObject({
    status: 401,
    message: "x-api-key header is required",
  });
  expect(await as({})).toMatchObject({ status: 401, message: "invalid x-api-key" });
  expect(await as({ "x-api-key": "", authorization: "Bearer right" })).toMatchObject({
    status: 200,
  });
  const bare = await api.fetch("http://fake/v1/messages", {
    method: "POST",
    body: "{}",
    headers: { "x-api-key": "right" },
  });
  expect(bare.status).toBe(400);
  expect(await bare.text()).toContain("anthropic-version: header is required");
  const unknown = await ask(answering(), { ...body, model: "claude-opus-3000" });
  expect(unknown).toMatchObject({ status: 404, type: "not_found_error" });
});

test("malformed JSON is refused", async () => {
  const response = await post(answering(), "{");
  expect(response.status).toBe(400);
});

test("a prompt over the window is refused with both sizes", async () => {
  const api = answering({ model: { windowTokens: 1_000 } });
  const long = { messages: [user("word ".repeat(2_000))] };
  const message = (await refusal(api, long)) ?? "";
  const [, tokens] = /^prompt is too long: (\d+) tokens > 1000 maximum$/.exec(message) ?? [];
  const counted = await post(
    api,
    { model: "claude-sonnet-5-5", ...long },
    { path: "/v1/messages/count_tokens" },
  );
  expect(await counted.json()).toEqual({ input_tokens: Number(tokens) });
  expect(Number(tokens)).toBeGreaterThan(1_900);
});

test("an answer ends where max_tokens or the window does", async () => {
  const api = new FakeApi({ model: { windowTokens: 100 } });
  api.next(say("word ".repeat(500)), say("word ".repeat(500)));
  const short = await ask(api, { max_tokens: 20, messages: [user("a")] });
  expect(short).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 20 } });
  const full = await ask(api, { max_tokens: 500, messages: [user("a")] });
  expect(full).toMatchObject({ stop_reason: "model_context_window_exceeded" });
});

test("the Models API reports sizes, and may be missing", async () => {
  const get = (api: FakeApi, name: string) =>
    api.fetch(`http://fake/v1/models/${name}`, {
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
    });
  const shown = await get(answering({ model: { windowTokens: 60_000 } }), "claude-opus-5-5");
  expect(await shown.json()).toMatchObject({ max_input_tokens: 60_000, max_tokens: 128_000 });
  expect((await get(answering(), "claude-none")).status).toBe(404);
  expect((await get(answering({ modelsApi: false }), "claude-opus-5-5")).status).toBe(404);
});

test("a script that has run out fails the fake", async () => {
  const api = startFakeApi();
  expect(await ask(api, { messages: [user("a")] })).toMatchObject({ status: 500 });
  await expect(api.stop()).rejects.toThrow("no answer for call 1");
});

test("requests are recorded, also those that were refused", async () => {
  const api = answering();
  await ask(api, { messages: [user("a")] }, { betas: [bindingBeta] });
  await ask(api, { messages: [assistant("a")] });
  expect(api.requests.map(({ refused }) => refused)).toEqual([
    null,
    'messages: first message must use the "user" role',
  ]);
  expect(api.requests[0]?.headers.get("anthropic-beta")).toBe(bindingBeta);
  expect(api.requests[1]?.body?.messages).toHaveLength(1);
});

test("searches of the server: results come back unchanged, each after its call", async () => {
  const api = new FakeApi();
  const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }];
  const found = [{ url: "https://a.example", title: "A" }];
  api.next(
    { content: [{ type: "search", query: "a", found }], stop: "pause_turn" },
    { content: [{ type: "text", text: "done" }] },
  );
  const first = await ask(api, { messages: [user("a")], tools });
  const content = "content" in first ? first.content : [];
  expect(content.map(({ type }) => type)).toEqual(["server_tool_use", "web_search_tool_result"]);
  const send = (blocks: unknown) =>
    ask(api, { messages: [user("a"), { role: "assistant", content: blocks }], tools });
  const altered: unknown = JSON.parse(
    JSON.stringify(content).replace('"title":"A"', '"title":"B"'),
  );
  expect(await send(altered)).toMatchObject({ status: 400 });
  expect(await send(content.slice(1))).toMatchObject({ status: 400 });
  expect(await send(content)).toMatchObject({ status: 200 });
  const both = [{ ...tools[0], allowed_domains: ["a"], blocked_domains: ["b"] }];
  expect(await ask(api, { messages: [user("a")], tools: both })).toMatchObject({ status: 400 });
});
