/**
 * The client for OpenAI's protocol: its requests, how it reads answers, and how it looks up the
 * model.
 */

import { expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import type { Message } from "../../src/protocol/model.ts";
import { FakeClock } from "../fake-api/index.ts";
import { buildRequest, run, shown, user, result, uses, said, variables } from "./calls.ts";
import * as from from "./chat-server.ts";

const { calling, chat, chunk, finish, ok, refuse, saying } = from;

const baseUrl = "http://local";
const setVariable = variables();

function open(
  answers: from.Reply[],
  more: Partial<Parameters<typeof createOpenAiClient>[0]> = {},
  pages: Record<string, unknown> = {},
) {
  const fake = from.chatServer(answers, pages);
  return { fake, client: createOpenAiClient({ baseUrl, fetch: fake.fetch, ...more }) };
}

const request = (messages: Message[] = [user("hi")]) =>
  buildRequest({
    model: "m",
    messages,
    tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
  });

const reasoning = (text: string) => chunk({ reasoning_content: text });

test("separates text, reasoning and calls; reasoning is shown and not kept", async () => {
  const prompt_tokens_details = { cached_tokens: 60 };
  const usage = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details };
  const { client } = open([
    chat(
      reasoning("hm, "),
      chunk({ reasoning: "well" }),
      saying("I "),
      saying("look."),
      calling(0, { id: "c1", name: "read", json: "" }),
      calling(0, { json: '{"path":' }),
      calling(1, { id: "c2", name: "read", json: '{"path":"b"}' }),
      calling(0, { json: '"a"}' }),
      finish("tool_calls"),
      { choices: [], usage },
    ),
  ]);
  const { events, blocks, stop, error } = await run(client, request());
  expect(error).toBeNull();
  expect(blocks).toEqual([
    { type: "text", text: "I look." },
    uses("c1", "read", { path: "a" }),
    uses("c2", "read", { path: "b" }),
  ]);
  expect(shown(events, "thinking")).toBe("hm, well");
  expect(shown(events, "text")).toBe("I look.");
  expect(shown(events, "input")).toBe('{"path":{"path":"b"}"a"}');
  const counted = { input: 40, cacheRead: 60, cacheWrite: 0, output: 20 };
  expect(stop).toEqual({ type: "stop", stop: "tool_use", usage: counted });
});

test("keeps parallel calls apart that are all numbered 0, as by Ollama", async () => {
  const { client } = open([
    chat(
      calling(0, { id: "c1", name: "read", json: '{"path":"a"}' }),
      calling(0, { id: "c2", name: "read", json: '{"path":"b"}' }),
      calling(0, { name: "read", json: '{"path":"c"}' }),
      calling(0, { id: "c4", name: "read", json: '{"pa' }),
      calling(0, { id: "c5", name: "read", json: '{"path":"d"}' }),
      finish("stop"),
    ),
  ]);
  const { blocks, stop } = await run(client, request());
  expect(blocks).toMatchObject([
    ...["a", "b", "c"].map((path) => ({ input: { path } })),
    { input: { __invalid_json: '{"pa' } },
    { input: { path: "d" } },
  ]);
  expect(stop?.stop).toBe("tool_use");
});

test("makes reused call ids unique and adds missing ones", async () => {
  const { client } = open([
    chat(
      calling(0, { id: "call_0", name: "read", json: '{"path"' }),
      calling(0, { id: "call_0", json: ':"a"}' }),
      calling(1, { name: "read", json: "{}" }),
      finish("tool_calls"),
    ),
  ]);
  const earlier: Message[] = [user("hi"), said(uses("call_0", "read")), user(result("call_0"))];
  const { blocks } = await run(client, request(earlier));
  const ids = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  expect(blocks[0]).toMatchObject({ input: { path: "a" } });
  expect(new Set([...ids, "call_0"]).size).toBe(3);
  expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
});

test("translates a conversation, with images after the results they came with", async () => {
  const { fake, client } = open([ok, ok, ok]);
  const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const;
  const image = { type: "image" as const, source };
  const thinking = { type: "thinking", thinking: "secret", signature: "s" } as const;
  const text = (words: string) => ({ type: "text" as const, text: words });
  const summary = { type: "compaction", content: "The gist.", encrypted_content: null } as const;
  const messages = request([
    said(summary),
    user("look", image),
    said(thinking, text("Reading."), uses("a", "read", { path: "x" }), uses("b", "read")),
    user(
      { ...result("a"), content: [text("one"), image] },
      { ...result("b"), is_error: true },
      "and then?",
    ),
    said(thinking),
    user("more"),
    said(uses("c", "read")),
    user(result("c", "r")),
  ]);
  expect((await run(client, { ...messages, effort: "xhigh" })).error).toBeNull();
  const url = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const { messages: sent, ...body } = fake.sent[0] ?? {};
  expect<object>(body).toEqual({
    model: "m",
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 1_000,
    reasoning_effort: "high",
    tools: [expect.objectContaining({ type: "function" })],
  });
  const call = (id: string, given: string) => {
    return { id, type: "function", function: { name: "read", arguments: given } };
  };
  expect<unknown>(sent).toEqual([
    { role: "system", content: "Be good." },
    { role: "assistant", content: "The gist." },
    { role: "user", content: [text("look"), url] },
    {
      role: "assistant",
      content: "Reading.",
      tool_calls: [call("a", '{"path":"x"}'), call("b", "{}")],
    },
    { role: "tool", tool_call_id: "a", content: "one\n(1 image, shown below)" },
    { role: "tool", tool_call_id: "b", content: "Error: (no output)" },
    { role: "user", content: [url, text("and then?")] },
    { role: "user", content: "more" },
    { role: "assistant", content: null, tool_calls: [call("c", "{}")] },
    { role: "tool", tool_call_id: "c", content: "r" },
  ]);
  await run(client, buildRequest({ model: "m" }));
  expect(Object.keys(fake.sent[1] ?? {})).not.toContainAnyValues(["tools", "reasoning_effort"]);
  // Only words of the user are set apart from results.
  const mistral = createOpenAiClient({ baseUrl: "https://api.mistral.ai/v1", fetch: fake.fetch });
  await run(mistral, request([user("hi"), said(uses("c", "read")), user(result("c"))]));
  const roles = fake.sent[2]?.messages.map(({ role }) => role);
  expect(roles?.join(" ")).toBe("system user assistant tool");
});

test.each([
  ["stop", "end_turn"],
  ["eos", "end_turn"],
  ["length", "max_tokens"],
  ["MAX_TOKENS", "max_tokens"],
  ["model_context_window_exceeded", "model_context_window_exceeded"],
  ["content_filter", "refusal"],
  ["sensitive", "refusal"],
  ["eos_of_a_kind", "unknown"],
] as const)(
  "finish %s is %s, and with a call a call unless it was cut off",
  async (reason, stop) => {
    const call = calling(0, { id: "c", name: "read", json: "{}" });
    const { client } = open([chat(saying("so"), finish(reason)), chat(call, finish(reason))]);
    expect((await run(client, request())).stop?.stop).toBe(stop);
    const isCut = stop === "max_tokens" || stop === "model_context_window_exceeded";
    expect((await run(client, request())).stop?.stop).toBe(isCut ? stop : "tool_use");
  },
);

const bad = { status: 400 };
test.each<[string, () => from.Reply, string, string]>([
  ["a wrong key", () => refuse({ message: "bad key" }, 401), "auth", "OPENAI_API_KEY"],
  ["an unknown model", () => refuse({ message: "model 'm' not found" }, 404), "invalid", "--model"],
  ["a model that loads", () => refuse({ message: "loading model" }, 503), "busy", '503: "loading'],
  ["a plain word", () => refuse("a plain word"), "invalid", "a plain word"],
  ["Gemini's list", () => Response.json([{ error: { message: "odd" } }], bad), "invalid", '"odd'],
  ["FastAPI's detail", () => Response.json({ detail: "odd" }, bad), "invalid", '400: "odd"'],
  ["a bare message", () => Response.json({ message: "odd" }, bad), "invalid", '400: "odd"'],
  ["text", () => new Response(" gone \n", { status: 500 }), "busy", '(500: "gone")'],
  ["a status", () => new Response("", { status: 503, statusText: "Full" }), "busy", '"Full"'],
  ["nothing", () => new Response("", { status: 500 }), "busy", '"no reason given"'],
  ["another API", () => chat(saying("so"), chunk({ content: 7 })), "invalid", "chat completions"],
])("%s is reported as %3$s", async (_, answer, kind, words) => {
  const { error } = await run(open([answer()]).client, request());
  expect(error?.kind).toBe(kind as never);
  expect(error?.message).toContain(words);
});

test("reads the sizes that an older llama.cpp reports as numbers only", async () => {
  const error = {
    message: "the request exceeds the available context size, try increasing it",
    code: 400,
    type: "exceed_context_size_error",
    n_prompt_tokens: 14_429,
    n_ctx: 8_192,
  };
  const fetch = async () => refuse(error);
  for (const create of [createOpenAiClient, createAnthropicClient]) {
    const sized = await run(create({ apiKey: "k", baseUrl, fetch }), request());
    const sizes = { tokens: 14_429, limit: 8_192 };
    expect(sized.error).toMatchObject({ kind: "too-long", sizes });
  }
});

test("ends a call that is silent for the time that is set", async () => {
  const clock = new FakeClock();
  const half = from.staysOpen(from.event(saying("half")));
  const { client } = open([half], { clock, stallMs: 1_000 });
  const on = () => queueMicrotask(() => clock.advance(1_000));
  expect((await run(client, request(), { on })).error?.kind).toBe("stall");
});

test("sends the key it was given, and takes none from the environment", async () => {
  setVariable("OPENAI_API_KEY", "sk-of-the-environment");
  const { fake, client } = open([ok, ok]);
  const keyed = createOpenAiClient({ baseUrl, fetch: fake.fetch, apiKey: "sk-mine" });
  await run(client, request());
  await run(keyed, request());
  await keyed.models();
  const keys = fake.headers.map((headers) => headers.get("authorization"));
  expect(keys).toEqual([null, "Bearer sk-mine", "Bearer sk-mine"]);
});

const list = (path: string, ...data: object[]) => ({ [path]: { data } });
const lmStudio = (id: string, sizes: object) => list("/api/v0/models", { id, ...sizes });
const loaded = { loaded_context_length: 12_000, max_context_length: 99_000 };
const llamaCpp = (n_ctx: unknown) => ({ "/props": { default_generation_settings: { n_ctx } } });
const running = (name: string, context_length?: number) => ({
  "/api/ps": { models: [{ name, ...(context_length !== undefined && { context_length }) }] },
});
const modelfile = (parameters: string) => ({ "/api/show": { parameters } });
const info = (key: string, size: number) => ({ "/api/show": { model_info: { [key]: size } } });
const served = (...data: object[]) => list("/v1/models", ...data);
const unknown = 32_768;

test.each<[string, Record<string, unknown>, number, certain: boolean]>([
  ["LM Studio", lmStudio("m", loaded), 12_000, true],
  ["LM Studio, not loaded", lmStudio("m", { max_context_length: 90_000 }), 90_000, false],
  ["LM Studio, another model", lmStudio("other", loaded), unknown, false],
  ["llama.cpp", llamaCpp(8_192), 8_192, true],
  ["Ollama, loaded", { ...running("m:latest", 16_384), ...modelfile("num_ctx 2") }, 16_384, true],
  ["Ollama, set", modelfile('stop "x"\nnum_ctx    20000'), 20_000, true],
  ["Ollama, not loaded", info("llama.context_length", 131_072), 32_768, false],
  ["Ollama, small", info("a.context_length", 4_096), 4_096, false],
  ["Ollama, without sizes", info("a.size", 1), unknown, false],
  ["Ollama, running", running("m"), unknown, false],
  ["Ollama, another model", running("m:8b", 1), unknown, false],
  ["vLLM", served({ id: "m", max_model_len: 40_000 }), 40_000, true],
  ["vLLM, another model", served({ id: "other", max_model_len: 1 }, { id: "m" }), unknown, false],
  ["OpenRouter", served({ id: "m", context_length: 50_000 }), 50_000, true],
  ["odd entries", served({}, { id: "m", max_model_len: 0, context_length: 9_000 }), 9_000, true],
  ["Groq", served({ id: "m", context_window: 60_000 }), 60_000, true],
  ["a server that does not report it", {}, unknown, false],
  ["nonsense", llamaCpp("many"), unknown, false],
])("the window of %s; it is asked for once if it is certain", async (_, pages, window, certain) => {
  const { fake, client } = open([], {}, pages);
  const [rules] = await Promise.all([client.rules("m"), client.rules("m")]);
  expect(rules.windowTokens).toBe(window);
  expect(rules.outputTokens).toBe(Math.min(8_192, Math.ceil(window / 4)));
  expect(rules.outputCeiling).toBe(Math.floor(window / 2));
  expect(rules).toMatchObject({ caches: false, compacts: false, thinking: "none" });
  expect(rules.prices.output).toBe(0);
  const asked = fake.asked.length;
  await client.rules("m");
  expect(fake.asked).toHaveLength(certain ? asked : 2 * asked);
});

test("a setting may only make a window smaller that the server reports", async () => {
  const windowOf = async (windowTokens: number, pages: Record<string, unknown>) => {
    const { client } = open([], { overrides: () => ({ windowTokens }) }, pages);
    return (await client.rules("m")).windowTokens;
  };
  const reported = llamaCpp(8_192);
  expect(await windowOf(3_000, reported)).toBe(3_000);
  expect(await windowOf(64_000, reported)).toBe(8_192);
  expect(await windowOf(64_000, {})).toBe(64_000);
});

test.each(["deepseek-v3.2", "kimi-k2-thinking", "zai-org/GLM-4.7", "MiniMax-M2"])(
  "%s gets its reasoning back within a tool loop, and only there",
  async (model) => {
    const call = calling(0, { id: "c1", name: "read", json: "{}" });
    const thoughtful = chat(reasoning("Look "), reasoning("first."), call, finish("tool_calls"));
    const { fake, client } = open([thoughtful, ok, ok]);
    const first = await run(client, { ...request(), model });
    expect(first.blocks[0]).toEqual({ type: "thinking", thinking: "Look first.", signature: "" });
    const loop: Message[] = [user("hi"), said(...first.blocks), user(result("c1"))];
    await run(client, { ...request(loop), model });
    expect(fake.sent[1]?.messages[2]).toMatchObject({ reasoning_content: "Look first." });
    const later = [...loop, said({ type: "text", text: "ok" }), user("b")];
    await run(client, { ...request(later), model });
    expect(fake.sent[2]?.messages[2]).not.toHaveProperty("reasoning_content");
    expect((await client.rules(model)).thinking).toBe("free");
  },
);

test("a model of another name gets its reasoning back once its server has demanded it", async () => {
  const call = calling(0, { id: "c1", name: "read", json: "{}" });
  const thoughtful = chat(reasoning("Look first."), call, finish("tool_calls"));
  const missing = refuse({ message: "Missing `reasoning_content` field in message 2" });
  const { fake, client } = open([thoughtful, missing, thoughtful, ok, ok]);
  const loop: Message[] = [user("hi")];
  for (let step = 0; step < 2; step++)
    loop.push(said(...(await run(client, request(loop))).blocks), user(result("c1")));
  await run(client, request(loop));
  expect(fake.sent.at(-1)?.messages.slice(-4)).toMatchObject([
    { reasoning_content: "" },
    {},
    { reasoning_content: "Look first." },
    {},
  ]);
  await run(client, request([...loop, said({ type: "text", text: "So." }), user("on")]));
  expect(fake.sent.at(-1)?.messages.at(-2)).not.toHaveProperty("reasoning_content");
});

test("an answer of reasoning alone becomes its text", async () => {
  const { client } = open([chat(reasoning("It is 42."), finish("stop"))]);
  const { blocks } = await run(client, request());
  expect(blocks).toEqual([{ type: "text", text: "It is 42." }]);
});
