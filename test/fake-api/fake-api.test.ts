/** The fake refuses what the real API refuses, with the same messages, and nothing else. */

import { expect, test } from "bun:test";
import { z } from "zod";
import * as from from "./ask.ts";
import { FakeApi, say, startFakeApi, type FakeApiOptions } from "./index.ts";

const { ask, assistant, post, refusal, result, text, tools, use, user } = from;

const answering = (options: FakeApiOptions = {}) =>
  new FakeApi({ responder: () => say("ok"), ...options });

const mark = { type: "ephemeral" };
const hour = { ...mark, ttl: "1h" };
const marked = (n: number) => text(`part ${n}`, mark);
const marks = (count: number) => Array.from({ length: count }, (_, n) => marked(n));
const later = { name: "later", input_schema: { type: "object" }, defer_loading: true };
const reference = (tool_name: string) => ({ type: "tool_reference", tool_name });
const markedLater = { ...later, cache_control: mark };
const made = { type: "thinking", thinking: "hm", signature: "x.y" };
const binding = { type: "adaptive", block_binding: {} };
const summarize = { type: "summarize" };
const fine = user(result("a"));

/** A request with these messages, to which nothing is added. */
const plain = (...messages: object[]) => ({ messages });
/** The same after a call of a tool. */
const called = (...messages: object[]) => ({
  tools,
  messages: [user("hi"), assistant(use("a")), ...messages],
});
/** A conversation with this block before the words of an answer. */
const thought = (block: object) => plain(user("a"), assistant(block, "b"), user("c"));
/** A plain request with something else. */
const hello = (more: object) => ({ messages: [user("a")], ...more });

const refused: [string, object, string][] = [
  ["no messages", plain(), "at least one message is required"],
  ["a start by the assistant", plain(assistant("hi")), 'must use the "user" role'],
  ["two of the user's", plain(user("a"), user("b")), "roles must alternate"],
  ["no content", plain(user()), "messages.0: all messages must have non-empty"],
  ["an empty block", plain(user("")), "text content blocks must be non-empty"],
  ["an empty result", called(user(result("a", [text("")]))), "must be non-empty"],
  ["a reference to no tool", called(user(result("a", [reference("later")]))), "'later' not found"],
  ["nothing but deferred tools", hello({ tools: [later] }), "At least one tool"],
  ["a mark on a deferred tool", hello({ tools: [...tools, markedLater] }), "with defer_loading"],
  ["a prefill", plain(user("a"), assistant("b")), "does not support assistant message"],
  ["a call of the user", plain(user(use("a"))), "`tool_use` blocks can only"],
  ["a call without a result", called(user("b")), "immediately after: a."],
  ["a result after text", called(user("b", result("a"))), "immediately after: a."],
  ["a result without a call", plain(user(result("a"))), "unexpected `tool_use_id`"],
  ["a late result", called(fine, assistant("b"), fine), "unexpected `tool_use_id` found"],
  ["two results of a call", called(user(result("a"), result("a"))), "must have a single result"],
  ["an id for two calls", called(fine, assistant(use("a")), fine), "ids must be unique"],
  ["five marks", plain(user(...marks(5))), "A maximum of 4 blocks with cache_control may be"],
  ["an hour's mark after a shorter one", plain(user(marked(1), text("x", hour))), "a ttl='1h'"],
  ["a mark on thinking", thought({ ...made, cache_control: mark }), "cache_control: Extra inputs"],
  ["a made-up signature", thought(made), "messages.1.content.0: Invalid `signature`"],
  ["an answer too long", hello({ max_tokens: 128_001 }), "128001 > 128000"],
  ["a stream of nothing", hello({ max_tokens: 0, stream: true }), "cannot be combined with"],
  ["a forced tool", hello({ tools, tool_choice: { type: "any" } }), "tool_choice: Extra inputs"],
  ["two tools of a name", hello({ tools: [...tools, ...tools] }), "must be unique"],
  ["disabled thinking", hello({ thinking: { type: "disabled" } }), "not supported"],
  ["binding without its beta", hello({ thinking: binding }), "block_binding: Extra inputs"],
  ["compaction without its beta", hello({ compaction: summarize }), "compaction: Extra inputs"],
  ["an unknown field", hello({ temperatur: 1 }), "temperatur: Extra inputs"],
];

test.each(refused)("refuses %s", async (_, body, words) => {
  const api = answering();
  const reply = await ask(api, body);
  expect(reply).toMatchObject({ status: 400, error: { type: "invalid_request_error" } });
  expect(reply.error?.message).toContain(words);
  expect([api.refusals.length, api.failures.length]).toEqual([1, 0]);
});

test("accepts parallel calls whose results come in any order, and an hour's mark before a shorter one", async () => {
  const calls = {
    tools,
    ...plain(user("hi"), assistant(use("a"), use("b")), user(result("b"), result("a"))),
  };
  for (const body of [calls, plain(user(text("x", hour), marked(1)))])
    expect(await refusal(answering(), body)).toBeNull();
});

const count = async (api: FakeApi, body: object): Promise<number> => {
  const path = "/v1/messages/count_tokens";
  const response = await post(api, { model: from.model, ...body }, { path });
  return z.object({ input_tokens: z.number() }).parse(await response.json()).input_tokens;
};

test("a deferred tool counts where it is referred to, and nowhere else", async () => {
  const all = { tools: [...tools, later] };
  const without = called(user(result("a", [text("x")])));
  const plainCount = await count(answering(), without);
  expect(await count(answering(), { ...without, ...all })).toBe(plainCount);
  const referring = { ...called(user(result("a", [reference("later")]))), ...all };
  expect(await count(answering(), referring)).toBeGreaterThan(plainCount);
});

test("asks for a key, the right key, a version, a known model and JSON", async () => {
  const api = answering({ key: "right" });
  const as = (headers: Record<string, string>) => ask(api, hello({}), { headers });
  expect((await as({ "x-api-key": "" })).error?.message).toBe("x-api-key header is required");
  expect(await as({})).toMatchObject({ status: 401, error: { message: "invalid x-api-key" } });
  const bearer = { "x-api-key": "", authorization: "Bearer right" };
  expect(await as(bearer)).toMatchObject({ status: 200 });
  const bare = { method: "POST", body: "{}", headers: { "x-api-key": "right" } };
  const versionless = await api.fetch("http://fake/v1/messages", bare);
  expect(await versionless.text()).toContain("anthropic-version: header is required");
  const unknown = await ask(answering(), hello({ model: "claude-opus-3000" }));
  expect(unknown).toMatchObject({ status: 404, error: { type: "not_found_error" } });
  expect((await post(answering(), "{")).status).toBe(400);
});

test("a script that has run out fails the fake", async () => {
  const api = startFakeApi();
  expect(await ask(api, hello({}))).toMatchObject({ status: 500 });
  await expect(api.stop()).rejects.toThrow("no answer for call 1");
});

test("searches of the server: results come back unchanged, each after its call", async () => {
  const api = new FakeApi();
  const search = [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }];
  const found = [{ url: "https://a.example", title: "A" }];
  api.next({ content: [{ type: "search", query: "a", found }], stop: "pause_turn" }, say("done"));
  const { content } = await from.accept(api, hello({ tools: search }));
  expect(content.map(({ type }) => type)).toEqual(["server_tool_use", "web_search_tool_result"]);
  const send = async (blocks: unknown) => {
    const messages = [user("a"), { role: "assistant", content: blocks }];
    return (await ask(api, { messages, tools: search })).status;
  };
  const altered: unknown = JSON.parse(
    JSON.stringify(content).replace('"title":"A"', '"title":"B"'),
  );
  expect([await send(altered), await send(content.slice(1))]).toEqual([400, 400]);
  expect(await send(content)).toBe(200);
  const both = [{ ...search[0], allowed_domains: ["a"], blocked_domains: ["b"] }];
  expect((await ask(api, hello({ tools: both }))).status).toBe(400);
});
