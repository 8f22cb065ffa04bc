/** Both clients against a third party's implementation of the two protocols. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { LLMock } from "@copilotkit/aimock";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import type { Message } from "../../src/protocol/model.ts";
import { buildRequest, run, shown, user } from "./calls.ts";

const mock = new LLMock({ port: 0 });
beforeAll(async () => {
  mock.on({ userMessage: "say hello", hasToolResult: false }, { content: "Hello, 世界." });
  mock.on(
    { userMessage: "read it", hasToolResult: false },
    {
      content: "Reading.",
      toolCalls: [{ id: "toolu_1", name: "read", arguments: '{"path":"a"}' }],
    },
  );
  mock.on({ toolCallId: "toolu_1" }, { content: "It says x." });
  await mock.start();
});
afterAll(() => mock.stop());

const clients: [string, () => ModelClient][] = [
  ["Messages API", () => createAnthropicClient({ apiKey: "k", baseUrl: mock.url })],
  ["chat completions", () => createOpenAiClient({ baseUrl: mock.url, apiKey: "k" })],
];
const tools = [{ name: "read", description: "Reads.", input_schema: { type: "object" as const } }];

test.each(clients)("words over the %s", async (_, connect) => {
  const { blocks, events, stop, error } = await run(
    connect(),
    buildRequest({ messages: [user("say hello")] }),
  );
  expect(error).toBeNull();
  expect(blocks).toEqual([{ type: "text", text: "Hello, 世界." }]);
  expect(shown(events, "text")).toBe("Hello, 世界.");
  expect(stop?.stop).toBe("end_turn");
});

test.each(clients)("a call and its result over the %s", async (_, connect) => {
  const client = connect();
  const messages: Message[] = [user("read it")];
  const first = await run(client, buildRequest({ messages, tools }));
  expect(first.stop?.stop).toBe("tool_use");
  const call = first.blocks.find(({ type }) => type === "tool_use");
  expect(call).toMatchObject({ id: "toolu_1", name: "read", input: { path: "a" } });
  messages.push({ role: "assistant", content: first.blocks });
  messages.push({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "x" }] },
    ],
  });
  const second = await run(client, buildRequest({ messages, tools }));
  expect(second.blocks).toEqual([{ type: "text", text: "It says x." }]);
});
