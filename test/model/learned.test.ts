/** What a server refuses is learned from its words, once. */

import { expect, test } from "bun:test";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import type { Message, ToolDefinition } from "../../src/protocol/model.ts";
import type { ChatBody } from "../fake-api/providers.ts";
import { buildRequest, result, run, said, user, uses } from "./calls.ts";
import { chatServer, ok, refuse } from "./chat-server.ts";

const properties = { kind: { const: "text" } };
const tools: ToolDefinition[] = [
  { name: "Read", description: "", input_schema: { type: "object", properties } },
];
const extra = { call: { odd_field: 1 }, message: { odd_message: 2 } };
const messages: Message[] = [
  user("hi"),
  said({ ...uses("c1", "Read"), extra }),
  user(result("c1", "x"), "and?"),
];

const called = (body: ChatBody): Record<string, unknown> =>
  body.messages.find(({ tool_calls }) => tool_calls) ?? {};

/** The words of a refusal, and the fields that are refused, or whether a request is. */
test.each<[string, string[] | ((body: ChatBody) => boolean)]>([
  ["Use 'max_completion_tokens' instead of 'max_tokens'.", ["max_tokens"]],
  ["unknown fields: max_tokens, max_completion_tokens", ["max_tokens", "max_completion_tokens"]],
  ["Unrecognized request argument supplied: stream_options", ["stream_options"]],
  ["include_usage: extra fields not permitted", ["stream_options"]],
  ["Unsupported parameter: 'reasoning_effort'", ["reasoning_effort"]],
  ["this model does not support thinking", ["reasoning_effort"]],
  [
    "Conversation roles must alternate user/assistant/user/assistant",
    (body) => body.messages.at(-2)?.role === "tool",
  ],
  [
    "Invalid schema for function 'Read': 'const' is not permitted",
    (body) => JSON.stringify(body.tools).includes("const"),
  ],
  [
    "JSON schema conversion failed: Unresolved $ref",
    (body) => JSON.stringify(body.tools).includes("const"),
  ],
  [
    "messages.2.content: Input should be a valid string",
    (body) => called(body)["content"] === null,
  ],
  ["property 'odd_field' is unsupported", (body) => JSON.stringify(body).includes("odd_field")],
  ['Unknown name "odd_message"', (body) => "odd_message" in called(body)],
  // Reasoning of another provider.
  ...[
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "Corrupted thought signature.",
    "The encrypted content gAAA could not be verified.",
    "Could not decrypt the provided encrypted_content.",
  ].map((words): [string, (body: ChatBody) => boolean] => [
    words,
    (body) => "odd_message" in called(body),
  ]),
])("%s", async (words, refused) => {
  const isRefused = (body: ChatBody): boolean =>
    typeof refused === "function" ? refused(body) : refused.some((field) => field in body);
  for (const status of [400, 422]) {
    const { fetch, sent } = chatServer((body) =>
      isRefused(body) ? refuse({ message: words }, status) : ok,
    );
    const client = createOpenAiClient({ baseUrl: "http://h/v1", fetch });
    const wanted = { model: "m", tools, messages, maxTokens: 20_000 };
    const request = buildRequest({ ...wanted, effort: "high" });
    expect((await run(client, request)).error).toBeNull();
    const before = sent.length;
    expect((await run(client, request)).error).toBeNull();
    expect(sent).toHaveLength(before + 1);
    expect(before).toBeLessThanOrEqual(3);
  }
});

test.each<[string, number, status?: number]>([
  ["max_tokens is too large: 20000. This model supports at most 16,384 completion tokens.", 16_384],
  ["Range of max_tokens should be [1, 8192]", 8_192],
  [
    "This requires more credits, or fewer max_tokens. You can only afford 2000. To increase, visit",
    2_000,
    402,
  ],
])("%s: as many are asked for from then on", async (message, most, status = 400) => {
  const { fetch, sent } = chatServer((body) =>
    Number(body["max_tokens"]) > most ? refuse({ message }, status) : ok,
  );
  const client = createOpenAiClient({ baseUrl: "http://h/v1", fetch });
  await run(client, buildRequest({ model: "m", maxTokens: 20_000 }));
  await run(client, buildRequest({ model: "m", maxTokens: 20_000 }));
  await run(client, buildRequest({ model: "m", maxTokens: 500 }));
  expect(sent.map((body) => body["max_tokens"])).toEqual([20_000, most, most, 500]);
});

test("a server that refuses everything is not asked without end", async () => {
  const message =
    "max_tokens max_completion_tokens 300 stream_options reasoning_effort roles must alternate schema thought_signature content null tool_call_id too long odd_field odd_message";
  const { fetch, sent } = chatServer(() => refuse({ message }));
  const client = createOpenAiClient({ baseUrl: "http://h/v1", fetch });
  const { error } = await run(
    client,
    buildRequest({ model: "m", tools, messages, effort: "high" }),
  );
  expect(error?.kind).toBe("invalid");
  expect(sent.length).toBeLessThan(20);
});
