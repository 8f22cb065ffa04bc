/**
 * The client for OpenAI's protocol: its requests, how it reads answers, and how it looks up the
 * model.
 */

import { afterEach, expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import type { Message } from "../../src/protocol/model.ts";
import { FakeClock } from "../fake-api/index.ts";
import { buildRequest, run, shown, user, result, uses, said } from "./calls.ts";
import { calling, finish, saying, startFakeOpenAi, type Chunks } from "./fake-openai.ts";

let server: ReturnType<typeof startFakeOpenAi> | undefined;
afterEach(() => server?.stop());

function open(
  pages: Record<string, unknown> = {},
  more: Partial<Parameters<typeof createOpenAiClient>[0]> = {},
) {
  const fake = startFakeOpenAi(pages);
  server = fake;
  return { fake, client: createOpenAiClient({ baseUrl: fake.url, ...more }) };
}

const request = (messages: Message[] = [user("hi")]) =>
  buildRequest({
    model: "m",
    messages,
    tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
  });

test("separates text, reasoning and calls; reasoning is shown and not kept", async () => {
  const { fake, client } = open();
  fake.next({
    chunks: [
      { index: 0, delta: { role: "assistant", reasoning_content: "hm, " } },
      { index: 0, delta: { reasoning: "well" } },
      saying("I "),
      saying("look."),
      calling(0, { id: "c1", name: "read", json: "" }),
      calling(0, { json: '{"path":' }),
      calling(1, { id: "c2", name: "read", json: '{"path":"b"}' }),
      calling(0, { json: '"a"}' }),
      finish("tool_calls"),
    ],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 20,
      prompt_tokens_details: { cached_tokens: 60 },
    },
  });
  const { events, blocks, stop, error } = await run(client, request());
  expect(error).toBeNull();
  expect(blocks).toEqual([
    { type: "text", text: "I look." },
    uses("c1", "read", { path: "a" }),
    uses("c2", "read", { path: "b" }),
  ]);
  expect(shown(events, "thinking")).toBe("hm, well");
  expect(shown(events, "text")).toBe("I look.");
  expect(stop).toEqual({
    type: "stop",
    stop: "tool_use",
    usage: { input: 40, cacheRead: 60, cacheWrite: 0, output: 20 },
  });
});

test("keeps parallel calls apart that are all numbered 0, as by Ollama", async () => {
  const { fake, client } = open();
  fake.next({
    chunks: [
      calling(0, { id: "c1", name: "read", json: '{"path":"a"}' }),
      calling(0, { id: "c2", name: "read", json: '{"path":"b"}' }),
      calling(0, { name: "read", json: '{"path":"c"}' }),
      finish("stop"),
    ],
  });
  const { blocks, stop } = await run(client, request());
  expect(blocks.map((block) => block.type === "tool_use" && block.input)).toEqual([
    { path: "a" },
    { path: "b" },
    { path: "c" },
  ]);
  expect(stop?.stop).toBe("tool_use");
});

test("makes reused call ids unique and adds missing ones", async () => {
  const { fake, client } = open();
  const earlier: Message[] = [user("hi"), said(uses("call_0", "read")), user(result("call_0"))];
  fake.next({
    chunks: [
      calling(0, { id: "call_0", name: "read", json: '{"path"' }),
      calling(0, { id: "call_0", json: ':"a"}' }),
      calling(1, { name: "read", json: "{}" }),
      finish("tool_calls"),
    ],
  });
  const { blocks } = await run(client, request(earlier));
  const ids = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  expect(blocks[0]).toMatchObject({ input: { path: "a" } });
  expect(new Set([...ids, "call_0"]).size).toBe(3);
  expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
});

test("translates a conversation, with images after the results they came with", async () => {
  const { fake, client } = open();
  fake.next({ chunks: [saying("ok"), finish("stop")] });
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: "AAAA" },
  };
  const { error } = await run(
    client,
    request([
      user("look", image),
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "secret", signature: "s" },
          { type: "text", text: "Reading." },
          uses("a", "read", { path: "x" }),
          uses("b", "read"),
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "a",
            content: [{ type: "text", text: "one" }, image],
          },
          { type: "tool_result", tool_use_id: "b", content: [], is_error: true },
          { type: "text", text: "and then?" },
        ],
      },
    ]),
  );
  expect(error).toBeNull();
  const url = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  expect(fake.requests[0]?.messages).toEqual([
    { role: "system", content: "Be good." },
    { role: "user", content: [{ type: "text", text: "look" }, url] },
    {
      role: "assistant",
      content: "Reading.",
      tool_calls: [
        { id: "a", type: "function", function: { name: "read", arguments: '{"path":"x"}' } },
        { id: "b", type: "function", function: { name: "read", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "a", content: "one\n(1 image, shown below)" },
    { role: "tool", tool_call_id: "b", content: "Error: (no output)" },
    { role: "user", content: [url, { type: "text", text: "and then?" }] },
  ]);
  expect(JSON.stringify(fake.requests)).not.toContain("secret");
});

test("leaves out an earlier answer that was only reasoning", async () => {
  const { fake, client } = open();
  fake.next({ chunks: [saying("ok"), finish("stop")] });
  const messages: Message[] = [
    user("a"),
    { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "" }] },
    user("b"),
  ];
  expect((await run(client, request(messages))).error).toBeNull();
  expect(fake.requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user", "user"]);
});

test.each([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["content_filter", "refusal"],
  ["eos_of_a_kind", "unknown"],
] as const)("finish %s is %s", async (reason, stop) => {
  const { fake, client } = open();
  fake.next({ chunks: [saying("so"), finish(reason)] });
  expect((await run(client, request())).stop?.stop).toBe(stop);
});

test("marks arguments that are not a JSON object instead of losing them", async () => {
  const { fake, client } = open();
  fake.next({ chunks: [calling(0, { id: "c", name: "read", json: '{"a' }), finish("length")] });
  const { blocks, stop } = await run(client, request());
  expect(blocks).toMatchObject([{ input: { __invalid_json: '{"a' } }]);
  expect(stop?.stop).toBe("max_tokens");
});

const failures: [Chunks, string, string][] = [
  [{ status: 401, error: { message: "bad key" } }, "auth", "OPENAI_API_KEY"],
  [{ status: 404, error: { message: "model 'm' not found" } }, "invalid", "--model"],
  [{ status: 503, error: { message: "loading model" } }, "busy", "loading model"],
  [{ status: 400, error: "a plain word" }, "invalid", "a plain word"],
  [
    { chunks: [saying("so"), { ...saying(""), delta: { content: 7 } }] },
    "invalid",
    "chat completions",
  ],
];

test.each(failures)("%j is reported as %s", async (answer, kind, words) => {
  const { fake, client } = open();
  fake.next(answer);
  const { error } = await run(client, request());
  expect(error?.kind).toBe(kind as never);
  expect(error?.message).toContain(words);
});

test("reports the sizes when the window is too small", async () => {
  const { fake, client } = open();
  const message =
    "This model's maximum context length is 4096 tokens. However, your messages resulted in 9130 tokens.";
  fake.next(
    { status: 400, error: { message, code: "context_length_exceeded" } },
    { status: 400, error: { message: "the prompt does not fit", code: "context_length_exceeded" } },
  );
  const sized = await run(client, request());
  expect(sized.error).toMatchObject({ kind: "too-long", sizes: { tokens: 9_130, limit: 4_096 } });
  const unsized = await run(client, request());
  expect(unsized.error?.kind).toBe("too-long");
  expect(unsized.error?.sizes).toBeUndefined();
});

test("reads the sizes that an older llama.cpp reports as numbers only", async () => {
  const { fake, client } = open();
  const error = {
    message: "the request exceeds the available context size, try increasing it",
    code: 400,
    type: "exceed_context_size_error",
    n_prompt_tokens: 14_429,
    n_ctx: 8_192,
  };
  fake.next({ status: 400, error });
  const sized = await run(client, request());
  expect(sized.error).toMatchObject({ kind: "too-long", sizes: { tokens: 14_429, limit: 8_192 } });
  const anthropic = createAnthropicClient({
    apiKey: "k",
    baseUrl: "http://local",
    fetch: () => Promise.resolve(Response.json({ error }, { status: 400 })),
  });
  const same = await run(anthropic, request());
  expect(same.error).toMatchObject({ kind: "too-long", sizes: { tokens: 14_429, limit: 8_192 } });
});

test("an interrupted answer is not kept, but its deltas were shown", async () => {
  const { fake, client } = open();
  fake.next({ chunks: [saying("half a ")], done: false });
  const { error, events } = await run(client, request());
  expect(error).toMatchObject({ kind: "busy" });
  expect(shown(events, "text")).toBe("half a ");
});

test("ends a silent call, and distinguishes it from one that was stopped", async () => {
  const clock = new FakeClock();
  const { fake, client } = open({}, { clock, stallMs: 1_000 });
  fake.next({ chunks: [saying("half")], stall: true }, { chunks: [saying("half")], stall: true });
  const silent = await run(client, request(), {
    on: () => queueMicrotask(() => clock.advance(1_000)),
  });
  expect(silent.error?.kind).toBe("stall");
  const stop = new AbortController();
  const stopped = await run(client, request(), { signal: stop.signal, on: () => stop.abort() });
  expect(stopped.error?.kind).toBe("aborted");
  expect(clock.waiting).toBe(0);
});

test("sends the key it was given, and takes none from the environment", async () => {
  const before = process.env["OPENAI_API_KEY"];
  process.env["OPENAI_API_KEY"] = "sk-of-the-environment";
  try {
    const { fake, client } = open();
    const keyed = createOpenAiClient({ baseUrl: `${fake.url}/v1/`, apiKey: "sk-mine" });
    fake.next({ chunks: [finish("stop")] }, { chunks: [finish("stop")] });
    await run(client, request());
    await run(keyed, request());
    expect(fake.headers.map((headers) => headers.get("authorization"))).toEqual([
      null,
      "Bearer sk-mine",
    ]);
  } finally {
    if (before === undefined) delete process.env["OPENAI_API_KEY"];
    else process.env["OPENAI_API_KEY"] = before;
  }
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
  [
    "Ollama, loaded",
    { ...running("m:latest", 16_384), ...modelfile("num_ctx 2048") },
    16_384,
    true,
  ],
  ["Ollama, set", modelfile('stop "x"\nnum_ctx    20000'), 20_000, true],
  ["Ollama, not loaded", info("llama.context_length", 131_072), 32_768, false],
  ["Ollama, small", info("a.context_length", 4_096), 4_096, false],
  ["Ollama, without sizes", info("a.size", 1), unknown, false],
  ["Ollama, running", running("m"), unknown, false],
  ["Ollama, another model", running("m:8b", 1), unknown, false],
  ["vLLM", served({ id: "m", max_model_len: 40_000 }), 40_000, true],
  ["vLLM, another model", served({ id: "other", max_model_len: 1 }, { id: "m" }), unknown, false],
  ["OpenRouter", served({ id: "m", context_length: 50_000 }), 50_000, true],
  ["Groq", served({ id: "m", context_window: 60_000 }), 60_000, true],
  ["a server that does not report it", {}, unknown, false],
  ["nonsense", llamaCpp("many"), unknown, false],
])("the window of %s; it is asked for once if it is certain", async (_, pages, window, certain) => {
  const { fake, client } = open(pages);
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
  const { fake } = open(llamaCpp(8_192));
  const windowOf = async (windowTokens: number, baseUrl = fake.url) => {
    const set = createOpenAiClient({ baseUrl, overrides: () => ({ windowTokens }) });
    return (await set.rules("m")).windowTokens;
  };
  expect([await windowOf(3_000), await windowOf(64_000)]).toEqual([3_000, 8_192]);
  server?.stop();
  expect(await windowOf(64_000, open().fake.url)).toBe(64_000);
});

const reasoning = (text: string) => ({ index: 0, delta: { reasoning_content: text } });

test.each(["deepseek-v3.2", "kimi-k2-thinking", "zai-org/GLM-4.7", "MiniMax-M2"])(
  "%s gets its reasoning back within a tool loop, and only there",
  async (model) => {
    const { fake, client } = open();
    fake.next(
      {
        chunks: [
          reasoning("Look "),
          reasoning("first."),
          calling(0, { id: "c1", name: "read", json: "{}" }),
          finish("tool_calls"),
        ],
      },
      { chunks: [saying("ok"), finish("stop")] },
      { chunks: [saying("ok"), finish("stop")] },
    );
    const first = await run(client, { ...request(), model });
    expect(first.blocks[0]).toEqual({ type: "thinking", thinking: "Look first.", signature: "" });
    const loop: Message[] = [user("hi"), said(...first.blocks), user(result("c1"))];
    await run(client, { ...request(loop), model });
    expect(fake.requests[1]?.messages[2]).toMatchObject({ reasoning_content: "Look first." });
    await run(client, {
      ...request([
        ...loop,
        { role: "assistant", content: [{ type: "text", text: "ok" }] },
        user("b"),
      ]),
      model,
    });
    expect(fake.requests[2]?.messages[2]).not.toHaveProperty("reasoning_content");
    expect((await client.rules(model)).thinking).toBe("free");
  },
);

test("an answer of reasoning alone becomes its text", async () => {
  const { fake, client } = open();
  fake.next({ chunks: [reasoning("It is 42."), finish("stop")] });
  const { blocks } = await run(client, request());
  expect(blocks).toEqual([{ type: "text", text: "It is 42." }]);
});
