/** Providers as strict fakes: a turn with a call succeeds. */

import { expect, test } from "bun:test";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import type { ToolUseBlock } from "../../src/protocol/block.ts";
import type { Message, ToolDefinition } from "../../src/protocol/model.ts";
import { fakeProvider, providers, type ChatBody, type Provider } from "../fake-api/providers.ts";
import { buildRequest, run, user, result, said } from "./calls.ts";
import { chatServer, ok } from "./chat-server.ts";

const read: ToolDefinition = {
  name: "Read",
  description: "Reads.",
  input_schema: {
    type: "object",
    $schema: "https://json-schema.org/draft/2020-12/schema",
    properties: {
      file_path: { type: "string" },
      kind: { const: "text" },
      lines: { type: "integer", exclusiveMinimum: 0 },
      place: { $ref: "#/$defs/Place", description: "Where." },
    },
    $defs: { Place: { type: "object", properties: { line: { type: ["integer", "null"] } } } },
    required: ["file_path", "unknown"],
    additionalProperties: false,
  },
};
const ping: ToolDefinition = { name: "ping", description: "", input_schema: { type: "object" } };

function open(provider: Provider) {
  const { fetch, sent } = fakeProvider(provider);
  const { baseUrl, model } = provider;
  const client = createOpenAiClient({ baseUrl, apiKey: "k", fetch });
  const more = { model, tools: [read, ping], maxTokens: 20_000 };
  const ask = (messages: Message[]) =>
    run(client, buildRequest({ ...more, effort: "high", messages }));
  return { sent, ask };
}

/** A turn: a call, its result with a word of the user, the answer. */
async function turn(provider: Provider) {
  const { sent, ask } = open(provider);
  const first = await ask([user("hi")]);
  const calls = first.blocks.filter((block): block is ToolUseBlock => block.type === "tool_use");
  const results = user(...calls.map(({ id }) => result(id, "words")), "and hurry");
  const after: Message[] = [user("hi"), said(...first.blocks), results];
  const second = await ask(after);
  return { first, second, calls, sent, after };
}

test.each(Object.entries(providers))("%s: a turn with a call", async (_, provider) => {
  const { first, second, calls, sent } = await turn(provider);
  expect(first.error).toBeNull();
  expect(calls).toMatchObject([{ name: "Read", input: { file_path: "README.md" } }]);
  expect(first.stop).toMatchObject({ stop: "tool_use" });
  expect(second.error).toBeNull();
  expect(second.blocks).toEqual([{ type: "text", text: "Done." }]);
  const { prompt, cached } = provider.usage;
  expect(second.stop).toMatchObject({
    stop: "end_turn",
    usage: { input: prompt, cacheRead: cached, output: 12 },
  });
  // What was refused once is not sent again.
  expect(provider.refuse(sent.at(-1) ?? { messages: [] })).toBeNull();
  expect(sent.length).toBeLessThanOrEqual(5);
});

test.each(Object.entries(providers))(
  "%s: continues what other providers began",
  async (name, provider) => {
    const others = Object.entries(providers).filter(([other]) => other !== name);
    const before: Message[] = [];
    for (const [, other] of others) {
      const { after, second } = await turn(other);
      before.push(...after, said(...second.blocks));
    }
    // Reasoning of another server cannot be made up.
    if (name === "openrouter") return;
    const { error, blocks } = await open(provider).ask([...before, user("hi")]);
    expect(error).toBeNull();
    expect(blocks).toEqual([{ type: "text", text: "Done." }]);
  },
);

test("the signature of a call goes back as it came, also from the log", async () => {
  const { sent, calls } = await turn(providers["gemini"]!);
  expect(calls[0]?.extra).toEqual({
    call: { extra_content: { google: { thought_signature: "c2ln" } } },
  });
  const [back] = sent.at(-1)?.messages.flatMap(({ tool_calls = [] }) => tool_calls) ?? [];
  expect(back).toMatchObject({ extra_content: { google: { thought_signature: "c2ln" } } });
});

/** The parameters of a tool as they are sent to this provider. */
async function parameters(name: string, input_schema: ToolDefinition["input_schema"]) {
  const { fetch, sent } = chatServer([ok]);
  const { baseUrl, model } = providers[name]!;
  const tools = [{ name: "t", description: "", input_schema }];
  await run(createOpenAiClient({ baseUrl, fetch }), buildRequest({ model, tools }));
  return sent[0]?.tools?.[0]?.function.parameters;
}

test("every keyword of a schema has a form that Gemini knows, and every object its properties", async () => {
  const given: Record<string, [schema: object, sent: object]> = {
    any: [
      { oneOf: [{ type: "string", pattern: "x" }, { const: 2 }] },
      { anyOf: [{ type: "string" }, { type: "string", enum: ["2"] }] },
    ],
    all: [
      { allOf: [{ type: "object" }, { description: "both" }] },
      { type: "object", properties: {}, description: "both" },
    ],
    pair: [
      { type: "array", items: [{ type: "number", minimum: 2, exclusiveMaximum: 5 }] },
      { type: "array", items: { type: "number", minimum: 2, maximum: 5 } },
    ],
    bare: [{ type: "array" }, { type: "array", items: { type: "string" } }],
    level: [
      { type: "integer", enum: [1, 2] },
      { type: "string", enum: ["1", "2"] },
    ],
    both: [
      { type: ["string", "number", "null"] },
      { anyOf: [{ type: "string" }, { type: "number" }], nullable: true },
    ],
    named: [
      { $ref: "#/definitions/A%20B", description: "Where." },
      { type: "boolean", description: "Where." },
    ],
    maybe: [{ type: ["integer", "null"] }, { type: "integer", nullable: true }],
    above: [
      { type: "integer", exclusiveMinimum: 0 },
      { type: "integer", minimum: 0 },
    ],
    lost: [{ $ref: "elsewhere#/A" }, {}],
  };
  const side = (at: 0 | 1) =>
    Object.fromEntries(Object.entries(given).map(([name, both]) => [name, both[at]]));
  const definitions = { "A B": { type: "boolean" } };
  const required = ["any"];
  const schema = { type: "object" as const, definitions, properties: side(0) };
  expect(await parameters("gemini", { ...schema, required: [...required, "unknown"] })).toEqual({
    type: "object",
    properties: side(1),
    required,
  });
  const endless = { type: "array", items: { $ref: "#/$defs/endless" } };
  const looped = { type: "object" as const, $defs: { endless }, properties: { endless } };
  expect(await parameters("gemini", looped)).toMatchObject({ type: "object" });
  const bare = { type: "object" as const };
  const full = { type: "object" as const, properties: {} };
  const nested = (inner: object) => ({
    type: "object" as const,
    properties: { one: inner, list: { type: "array", items: { anyOf: [inner] } } },
    $defs: { inner },
  });
  expect(await parameters("openai", nested(bare))).toEqual(nested(full));
});

test("pieces of OpenRouter's reasoning are put together in their order", async () => {
  const { sent } = await turn(providers["openrouter"]!);
  const back = sent.at(-1)?.messages.find(({ tool_calls }) => tool_calls);
  expect(back?.["reasoning_details"]).toEqual([
    { type: "reasoning.text", text: "Look first.", index: 0, format: "google-gemini-v1" },
    {
      type: "reasoning.encrypted",
      data: "c2ln",
      id: "tool_0_Read",
      index: 1,
      format: "google-gemini-v1",
    },
  ]);
});

/** Turns of one call each at OpenRouter, which routes them to these providers; the calls that are sent back. */
async function routed(turns: readonly (readonly [model: string, provider: string])[]) {
  const openrouter = providers["openrouter"]!;
  const bodies: ChatBody[] = [];
  const before: Message[] = [];
  for (const [model, provider] of turns) {
    const call = openrouter.call.map((part) => ({ ...part, provider }));
    const { fetch, sent } = fakeProvider({ ...openrouter, refuse: () => null, call, words: call });
    const client = createOpenAiClient({ baseUrl: openrouter.baseUrl, apiKey: "k", fetch });
    const messages = [...before, user("hi")];
    const { blocks } = await run(client, buildRequest({ model, messages, tools: [read] }));
    bodies.push(...sent);
    const results = blocks.flatMap((block) =>
      block.type === "tool_use" ? [result(block.id)] : [],
    );
    before.push(user("hi"), said(...blocks), { role: "user", content: results });
  }
  return bodies
    .at(-1)
    ?.messages.filter(({ tool_calls }) => tool_calls)
    .map((message) => "reasoning_details" in message);
}

test("reasoning goes back to the model and provider that it came from, and to no other", async () => {
  const [gemini, claude] = ["google/gemini-3-pro", "anthropic/claude-sonnet-5.5"];
  const google = [gemini, "Google"] as const;
  const azure = [claude, "Azure"] as const;
  expect(await routed([google, google, google])).toEqual([true, true]);
  expect(await routed([[claude, "Anthropic"], azure, azure])).toEqual([false, true]);
  expect(await routed([google, [claude, "Google"]])).toEqual([false]);
});
