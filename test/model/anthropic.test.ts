/**
 * Claude's client against the strict fake: its requests are accepted, and answers are preserved
 * completely.
 */

import { expect, spyOn, test } from "bun:test";
import { createAnthropicClient, type AnthropicAccess } from "../../src/model/anthropic/messages.ts";
import type { Effort, ModelRequest } from "../../src/protocol/model.ts";
import { call, FakeApi, say, think, type FakeApiOptions } from "../fake-api/index.ts";
import { buildRequest, result, run, said, shown, user, uses, variables } from "./calls.ts";

function open(options: FakeApiOptions = {}, more: Partial<AnthropicAccess> = {}) {
  const fake = new FakeApi(options);
  const { clock, fetch } = fake;
  const access = { apiKey: "sk-test", baseUrl: "http://fake", clock, fetch, ...more };
  return { fake, client: createAnthropicClient(access) };
}

const setVariable = variables();

const tool = {
  name: "Read",
  description: "Reads a file.",
  input_schema: { type: "object" as const, properties: { path: {} }, required: ["path"] },
};

const listBetas = (fake: FakeApi): (string | null)[] =>
  fake.requests.map(({ headers }) => headers.get("anthropic-beta"));

test("rebuilds every block exactly from chunks that split characters", async () => {
  const { fake, client } = open();
  const input = { path: "naïve/日本語.txt", lines: [1, 2], deep: { a: null, b: "🙂\n" } };
  fake.next({
    content: [
      think("hm, 考え"),
      { type: "text", text: "Ich lese 🙂 …" },
      call("Read", input, "toolu_1"),
    ],
    chunkBytes: 7,
  });
  const { events, blocks, stop, error } = await run(client, buildRequest({ tools: [tool] }));
  expect(error).toBeNull();
  expect(blocks).toMatchObject([
    { type: "thinking", thinking: "hm, 考え" },
    { type: "text", text: "Ich lese 🙂 …" },
    { type: "tool_use", id: "toolu_1", name: "Read", input },
  ]);
  expect(shown(events, "text")).toBe("Ich lese 🙂 …");
  expect(shown(events, "thinking")).toBe("hm, 考え");
  expect(JSON.parse(shown(events, "input"))).toEqual(input);
  expect(stop?.stop).toBe("tool_use");
  expect(events.filter(({ type }) => type === "stop")).toHaveLength(1);
});

test("answers are sent back unchanged, so that their signatures stay valid", async () => {
  const { fake, client } = open();
  const looking = [think("one"), { type: "redacted_thinking" } as const, call("Read", {}, "t1")];
  fake.next(looking, [think("two"), ...say("Done.").content], say("Bye."));
  const request = buildRequest({ tools: [tool] });
  const first = await run(client, request);
  request.messages.push(said(...first.blocks));
  request.messages.push(user(result("t1", "x")));
  const second = await run(client, request);
  request.messages.push(said(...second.blocks), user("bye"));
  const third = await run(client, request);
  expect(third.error).toBeNull();
  expect(fake.refusals).toEqual([]);
  expect(first.blocks.map(({ type }) => type)).toEqual([
    "thinking",
    "redacted_thinking",
    "tool_use",
  ]);
});

test("adds up usage, including what was read from the cache and written to it for an hour", async () => {
  const { fake, client } = open();
  fake.next(say("one"), say("two"));
  const long = "word ".repeat(3_000);
  const request = buildRequest({
    system: [{ type: "text", text: long, cache_control: { type: "ephemeral", ttl: "1h" } }],
    messages: [
      {
        role: "user",
        content: [{ type: "text", text: long, cache_control: { type: "ephemeral" } }],
      },
    ],
  });
  const written = (await run(client, request)).stop?.usage;
  expect(written).toMatchObject({ input: 0, cacheRead: 0 });
  expect(written?.cacheWrite1h).toBeGreaterThan(2_000);
  expect(written?.cacheWrite).toBeGreaterThan(Number(written?.cacheWrite1h) + 2_000);
  expect(written?.output).toBeGreaterThan(0);
  const read = (await run(client, request)).stop?.usage;
  expect(read).toEqual({
    input: 0,
    cacheRead: written?.cacheWrite ?? -1,
    cacheWrite: 0,
    output: written?.output ?? -1,
  });
});

test.each(['{"path": "a', '["a"]', "nonsense", ""])(
  "an input that is not an object (%j) is marked, not lost; none is an empty one",
  async (json) => {
    const { fake, client } = open();
    fake.next({ content: [{ type: "tool_use", name: "Read", json }] });
    const { blocks } = await run(client, buildRequest({ tools: [tool] }));
    const input = json === "" ? {} : { __invalid_json: json };
    expect(blocks).toMatchObject([{ type: "tool_use", input }]);
  },
);

test("the SDK prints nothing, not even about the retirement of models", async () => {
  const warned = spyOn(console, "warn");
  const { fake, client } = open();
  fake.next(say("ok"));
  await run(client, buildRequest({ model: "claude-sonnet-4-5" }));
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

test("ANTHROPIC_CUSTOM_HEADERS adds headers, and does not replace the key", async () => {
  const { fake, client } = open();
  fake.next(say("ok"));
  const lines = ["X-Team: till: 1", "Authorization: Bearer other", "X-Api-Key: other", "nothing"];
  setVariable("ANTHROPIC_CUSTOM_HEADERS", lines.join("\n"));
  await run(client, buildRequest());
  const headers = fake.requests[0]?.headers;
  expect(headers?.get("x-team")).toBe("till: 1");
  expect(headers?.get("authorization")).toBe("Bearer sk-test");
  expect(headers?.get("x-api-key")).toBe("sk-test");
});

test("stops as the server says; a refusal gives its reason, an unknown stop its name", async () => {
  const { fake, client } = open();
  const stops = ["max_tokens", "pause_turn", "stop_sequence", "model_context_window_exceeded"];
  const stopDetails = { type: "refusal", explanation: "Too hot." };
  fake.next(
    ...stops.map((stop) => say("so far", { stop })),
    say("I", { stop: "refusal", stopDetails }),
    say("I", { stop: "moon_phase" }),
  );
  const next = async () => (await run(client, buildRequest())).stop;
  for (const stop of stops) expect(await next()).toMatchObject({ stop });
  expect(await next()).toMatchObject({ stop: "refusal", detail: "Too hot." });
  const detail: unknown = expect.stringContaining("moon_phase");
  expect(await next()).toMatchObject({ stop: "unknown", detail });
});

test("stale thinking is dropped on request and counted, and the beta stays", async () => {
  const { fake, client } = open();
  fake.next({ content: [think("old"), { type: "text", text: "a" }] }, say("b"), say("c"));
  const { blocks } = await run(client, buildRequest());
  const messages = [user("hi, changed"), said(...blocks), user("go on")];
  await client.rules("claude-sonnet-5-5");
  const stale = await run(client, buildRequest({ messages, dropStaleThinking: true }));
  expect(stale.error).toBeNull();
  expect(stale.stop?.droppedThinking).toBe(1);
  const clean = await run(client, buildRequest());
  expect(clean.stop).not.toHaveProperty("droppedThinking");
  const beta = "thinking-binding-controls-2026-08-01";
  expect(listBetas(fake)).toEqual([null, null, beta, beta]);
});

test("the server compacts, and its block is sent back first with its beta", async () => {
  const { fake, client } = open();
  fake.next(say("The gist."), say("on we go"));
  const compacted = await run(client, buildRequest({ compaction: { instructions: "Be short." } }));
  expect(compacted.stop?.stop).toBe("compaction");
  expect(compacted.blocks).toMatchObject([{ type: "compaction", content: "The gist." }]);
  expect(compacted.blocks[0]).toHaveProperty("signature", expect.stringMatching(/./));
  // Its tokens are reported separately, and are part of what the call cost.
  expect(compacted.stop?.usage.output).toBeGreaterThan(0);
  const messages = [said(...compacted.blocks), user("go on")];
  const fresh = createAnthropicClient({ apiKey: "k", fetch: fake.fetch });
  const { error } = await run(fresh, buildRequest({ messages }));
  expect(error).toBeNull();
  expect(listBetas(fake)).toEqual(["compact-2026-09-04", "compact-2026-09-04"]);
});

test("with a budget, a loop with an answer that did not think goes on without thinking", async () => {
  const fake = new FakeApi();
  const client = createAnthropicClient({ apiKey: "k", fetch: fake.fetch });
  const asked = user("Go.");
  const loop = [asked, said(uses("c1", "read")), user(result("c1"))];
  const seen: unknown[] = [];
  const done = said({ type: "text", text: "Done." });
  for (const messages of [[asked], loop, [...loop, done, asked]]) {
    fake.next(say("ok"));
    await run(client, buildRequest({ model: "claude-sonnet-4-5", maxTokens: 32_000, messages }));
    seen.push(fake.requests.at(-1)?.body?.thinking?.type);
  }
  expect(seen).toEqual(["enabled", undefined, "enabled"]);
  fake.next({ content: [think("hm"), call("read", {}, "c2")] }, say("ok"));
  const more = { model: "claude-sonnet-4-5", maxTokens: 32_000 };
  const { blocks } = await run(client, buildRequest({ ...more, messages: [asked] }));
  const thought = [asked, said(...blocks), user(result("c2"))];
  await run(client, buildRequest({ ...more, messages: thought }));
  expect(fake.bodies.at(-1)?.thinking?.type).toBe("enabled");
});

/** What is sent for this request, and its betas. */
async function sent(more: Partial<ModelRequest>) {
  const fake = new FakeApi({ model: { outputTokens: 200_000 } });
  const client = createAnthropicClient({ apiKey: "k", fetch: fake.fetch });
  fake.next(say("ok"));
  expect((await run(client, buildRequest(more))).error).toBeNull();
  const { body, headers } = fake.requests.at(-1) ?? {};
  return { ...body, betas: headers?.get("anthropic-beta") ?? null };
}

const interleaved = "interleaved-thinking-2025-05-14";
const both = `${interleaved},effort-2025-11-24`;
const within = (budget_tokens: number) => ({ type: "enabled", budget_tokens });
const adaptive = { type: "adaptive", display: "summarized" };

type Expected = [thinks?: object | undefined, betas?: string | null, effort?: Effort];

test.each<[string, Effort | "off" | undefined, tokens: number, ...Expected]>([
  ["claude-sonnet-5-5", "off", 8_000, { type: "between_tools" }],
  ["claude-opus-5-5", "off", 8_000],
  ["claude-sonnet-5", "off", 8_000, { type: "disabled" }],
  ["claude-sonnet-4-5", "off", 8_000],
  ["claude-sonnet-5-5", undefined, 32_000, adaptive],
  ["claude-sonnet-5-5", "max", 32_000, adaptive, null, "max"],
  ["claude-opus-4-5", "max", 32_000, within(16_000), both, "high"],
  ["claude-opus-4-5", "low", 2_047, undefined, both, "low"],
  ["claude-sonnet-4-5", "low", 32_000, within(4_000), interleaved],
  ["claude-sonnet-4-5", undefined, 32_000, within(16_000), interleaved],
  ["claude-sonnet-4-5", "max", 200_000, within(64_000), interleaved],
  ["claude-sonnet-4-5", "xhigh", 200_000, within(32_000), interleaved],
  ["claude-sonnet-4-5", "max", 2_048, within(1_024), interleaved],
  ["claude-sonnet-4-5", "max", 2_047],
])("%s with effort %s and %i tokens", async (model, effort, maxTokens, ...expected) => {
  const how = effort === "off" ? { thinking: effort } : effort && { effort };
  const { output_config, thinking, betas } = await sent({ model, maxTokens, ...how });
  const [thinks, announced = null, config] = expected;
  expect<unknown[]>([thinking, betas, output_config?.effort]).toEqual([thinks, announced, config]);
});

test("effort that needs a beta is not sent to a server that announced none", async () => {
  const { fake, client } = open({ modelsApi: false });
  fake.next(say("ok"));
  const request = buildRequest({ model: "claude-opus-4-5", maxTokens: 32_000, effort: "low" });
  expect((await run(client, request)).error).toBeNull();
  expect(fake.requests.at(-1)?.body?.output_config).toBeUndefined();
  expect(listBetas(fake).at(-1) ?? null).toBeNull();
});

test("sends cache marks and tools unchanged, and leaves out what is empty", async () => {
  const { fake, client } = open();
  fake.next(say("a"), say("b"));
  const marked = { ...tool, cache_control: { type: "ephemeral" as const } };
  await run(client, buildRequest({ tools: [marked] }));
  expect(fake.requests[0]?.body).toMatchObject({ tools: [marked] });
  await run(client, buildRequest({ system: [] }));
  const names = Object.keys(fake.requests[1]?.body ?? {}).toSorted();
  expect(names.join(" ")).toBe("max_tokens messages model stream thinking");
});

test("fills the cache again without an answer, where the server takes it", async () => {
  const refresh = async (model: string, baseUrl?: string) => {
    const { fetch } = new FakeApi({ modelsApi: false });
    const client = createAnthropicClient({ apiKey: "k", fetch, ...(baseUrl && { baseUrl }) });
    const request = buildRequest({ model, maxTokens: 32_000 });
    return client.refreshCache?.(request, new AbortController().signal);
  };
  expect((await refresh("claude-sonnet-5-5"))?.output).toBe(0);
  expect(await refresh("claude-sonnet-4-5")).toBeNull();
  expect(await refresh("claude-sonnet-5-5", "http://gateway")).toBeNull();
});

test("counts the same tokens that the call is billed for", async () => {
  const { fake, client } = open();
  fake.next(say("ok"));
  const request: ModelRequest = buildRequest({ tools: [tool] });
  const counted = await client.countTokens?.(request, new AbortController().signal);
  expect((await run(client, request)).stop?.usage.input).toBe(counted ?? -1);
});

test("lists what the server lists; only Anthropic's own is known without its answer", async () => {
  const list = (answer: () => Response, more: Partial<AnthropicAccess> = {}) =>
    createAnthropicClient({ apiKey: "k", fetch: async () => answer(), ...more }).models();
  const two = () => Response.json({ data: [{ id: "new" }, { id: null }, 7, { id: "old" }] });
  const none = () => new Response("", { status: 500 });
  expect(await list(two)).toEqual(["new", "old"]);
  expect(await list(none)).toContain("claude-sonnet-5-5");
  expect(await list(none, { baseUrl: "https://gate.example" })).toEqual([]);
});

test("asks the Models API for sizes once; settings make them smaller, never larger", async () => {
  const { fake, client } = open({ model: { windowTokens: 60_000, outputTokens: 9_000 } });
  const rules = await client.rules("claude-sonnet-5-5");
  expect(rules).toMatchObject({ windowTokens: 60_000, outputTokens: 9_000, thinking: "bound" });
  await client.rules("claude-sonnet-5-5");
  expect(fake.requests).toHaveLength(1);
  const set = (windowTokens: number) => {
    const overrides = () => ({ windowTokens });
    return createAnthropicClient({ apiKey: "k", fetch: fake.fetch, overrides });
  };
  const small = await set(5_000).rules("claude-sonnet-5-5");
  expect(small).toMatchObject({ windowTokens: 5_000, outputTokens: 5_000 });
  expect((await set(900_000).rules("claude-sonnet-5-5")).windowTokens).toBe(60_000);
});

test.each<[string, () => Promise<Response>, number]>([
  ["is down", () => Promise.reject(new Error("down")), 2],
  ["is busy", async () => new Response("", { status: 500 }), 2],
  ["lists no models", async () => new Response("", { status: 404 }), 1],
  ["says something else", async () => Response.json([]), 1],
])("a server that %s is asked again only if it may know more then", async (_, answer, times) => {
  let calls = 0;
  const fetch = (): Promise<Response> => {
    calls += 1;
    return answer();
  };
  const client = createAnthropicClient({ apiKey: "k", fetch });
  for (let ask = 0; ask < 2; ask++)
    expect((await client.rules("claude-opus-4-5")).windowTokens).toBe(200_000);
  expect(calls).toBe(times);
});

test("takes neither key nor address from the environment", async () => {
  setVariable("ANTHROPIC_API_KEY", "sk-of-the-environment");
  setVariable("ANTHROPIC_AUTH_TOKEN", "token-of-the-environment");
  setVariable("ANTHROPIC_BASE_URL", "http://127.0.0.1:1");
  const { fake, client } = open({ key: "sk-test" });
  fake.next(say("ok"), say("ok"));
  expect((await run(client, buildRequest())).error).toBeNull();
  const seen = JSON.stringify([...(fake.requests[0]?.headers ?? [])]);
  expect(seen).not.toContain("environment");
  const token = createAnthropicClient({ authToken: "sk-test", fetch: fake.fetch });
  expect((await run(token, buildRequest())).error).toBeNull();
  expect(() => createAnthropicClient({})).toThrow("ANTHROPIC_API_KEY");
});

test("what other servers want with a call is not sent to this one", async () => {
  const { fake, client } = open();
  fake.next(say("ok"));
  const foreign = { ...uses("c1", "Read"), extra: { call: { thought_signature: "x" } } };
  const messages = [user("hi"), said(foreign), user(result("c1"))];
  expect((await run(client, buildRequest({ tools: [tool], messages }))).error).toBeNull();
});

const later = {
  name: "later",
  description: "Comes later.",
  input_schema: { type: "object" as const },
};

const withLoaded = (): Partial<ModelRequest> => ({
  tools: [tool],
  loadedTools: [later],
  messages: [
    user("go"),
    said(uses("s", "Read")),
    user({ ...result("s", "Loaded: later."), loads: [later] }),
  ],
});

const sentBy = (fake: FakeApi) =>
  fake.requests.flatMap(({ path, body }) => (path === "/v1/messages" && body ? [body] : []));

test("a loaded tool is deferred, and its result refers to it", async () => {
  const { fake, client } = open();
  await client.rules("claude-sonnet-5-5");
  fake.next(say("ok"));
  expect((await run(client, buildRequest(withLoaded()))).error).toBeNull();
  const [sent] = sentBy(fake);
  expect(sent?.tools?.at(-1)).toMatchObject({ name: "later", defer_loading: true });
  expect(JSON.stringify(sent?.messages)).toContain('"tool_name":"later"');
});

test("if tools cannot be deferred, they follow the others, and the result keeps its text", async () => {
  const { fake, client } = open({ model: { defersTools: false } });
  await client.rules("claude-sonnet-5-5");
  fake.next(say("ok"), say("again"));
  expect((await run(client, buildRequest(withLoaded()))).error).toBeNull();
  expect((await run(client, buildRequest(withLoaded()))).error).toBeNull();
  expect(fake.refusals).toHaveLength(1);
  const sent = sentBy(fake).at(-1);
  expect(sent?.tools?.map(({ name }) => name)).toEqual(["Read", "later"]);
  expect(JSON.stringify(sent)).not.toContain("defer_loading");
  expect(JSON.stringify(sent)).toContain("Loaded: later.");
});
