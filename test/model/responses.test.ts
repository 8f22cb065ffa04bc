/** OpenAI's Responses API: what is sent, how its events are read, and that reasoning is sent back. */

import { expect, test } from "bun:test";
import { createOpenAiClient } from "../../src/model/openai/client.ts";
import type { AssistantBlock } from "../../src/protocol/block.ts";
import type { Message } from "../../src/protocol/model.ts";
import { buildRequest, run, said, shown, streamed, toStream, user, result, uses } from "./calls.ts";
import type { StreamEvent as Event } from "./calls.ts";
import { chatServer, refuse } from "./chat-server.ts";

const stream = (events: Event[]): Response => streamed(toStream(events));

type Item = { type: string; id?: string; encrypted_content?: string; call_id?: string };

/**
 * OpenAI's own address, where each call gets the next of these answers. It refuses items as the real one
 * does that stores nothing; `issued`: reasoning that it can read.
 */
function openAi(answers: Response[], issued: Item[] = [reasoning]) {
  const { fetch, sent } = chatServer(({ ["input"]: input }) => {
    const error = whyRefused(input as Item[], issued);
    return error ? refuse(error) : (answers.shift() ?? refuse("dry", 500));
  });
  const baseUrl = "https://api.openai.com/v1";
  return { client: createOpenAiClient({ baseUrl, apiKey: "sk-test", fetch }), sent };
}

/** The errors are those that users of the real API quote. */
function whyRefused(input: Item[], issued: Item[]): object | null {
  const because = (message: string) => ({ type: "invalid_request_error", message });
  for (const [at, item] of input.entries()) {
    const { id, encrypted_content: content, call_id: call } = item;
    if (item.type === "reasoning") {
      if (id === undefined) return because(`Missing required parameter: 'input[${at}].id'.`);
      if (!content) return because(`Item with id '${id}' not found.`);
      if (!issued.some((known) => Bun.deepEquals(known, item)))
        return because(`The encrypted content ${content} could not be verified.`);
      const next = input[at + 1];
      if (next?.type !== "function_call" && !(next?.type === "message" && isAnswer(next)))
        return because(`Item '${id}' of type 'reasoning' was provided without its following item.`);
    }
    const pair = { function_call: "function_call_output", function_call_output: "function_call" };
    const other = pair[item.type as keyof typeof pair];
    if (other && !input.some((found) => found.type === other && found.call_id === call))
      return because(`No ${other} found for ${item.type} ${call}.`);
  }
  return null;
}

const isAnswer = (item: object): boolean => "role" in item && item.role === "assistant";

const reasoning = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Look first." }],
  encrypted_content: "gAAAA==",
};
const call = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "read",
  arguments: '{"path":"a"}',
};
const message = (...content: object[]) => ({ type: "message", role: "assistant", content });
const replies = (text: string) => message({ type: "output_text", text });
const says = (text: string) => {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
};
const done = (index: number, item: object): Event => {
  return { type: "response.output_item.done", output_index: index, item };
};
const usage = { input_tokens: 100, output_tokens: 20, input_tokens_details: { cached_tokens: 60 } };
const completed: Event = { type: "response.completed", response: { status: "completed", usage } };

const request = (messages: Message[] = [user("hi")]) =>
  buildRequest({
    model: "gpt-5.5",
    messages,
    effort: "max",
    tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
  });

test("text, reasoning and calls are shown as they grow, and kept whole", async () => {
  const { client, sent } = openAi([
    stream([
      { type: "response.created", response: { status: "in_progress", error: null } },
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning" } },
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Look first." },
      done(0, reasoning),
      textDelta("I "),
      textDelta("look."),
      done(1, replies("I look.")),
      { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"path":"a"}' },
      done(2, call),
      completed,
    ]),
  ]);
  const { blocks, events, stop, error } = await run(client, request());
  expect(error).toBeNull();
  expect(blocks).toEqual([
    { type: "thinking", thinking: "Look first.", signature: `openai:${JSON.stringify(reasoning)}` },
    { type: "text", text: "I look." },
    uses("call_1", "read", { path: "a" }),
  ]);
  expect(shown(events, "thinking")).toBe("Look first.");
  expect(shown(events, "text")).toBe("I look.");
  expect(stop).toMatchObject({
    stop: "tool_use",
    usage: { input: 40, cacheRead: 60, cacheWrite: 0, output: 20 },
  });
  const parameters = { type: "object", properties: {} };
  const read = { name: "read", description: "Reads.", parameters };
  expect(sent[0] as object).toEqual({
    model: "gpt-5.5",
    instructions: "Be good.",
    input: [says("hi")],
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    reasoning: { summary: "auto", effort: "high" },
    max_output_tokens: 1_000,
    tools: [{ type: "function", ...read, strict: false }],
  });
});

test("reasoning goes back as it came, before the call that it led to; another server's does not", async () => {
  const { client, sent } = openAi([
    stream([done(0, reasoning), done(1, call), completed]),
    stream([completed]),
  ]);
  const first = await run(client, request());
  const loop: Message[] = [
    user("hi"),
    said({ type: "compaction", content: "The gist." }, { type: "compaction", content: null }),
    user("on"),
    said({ type: "thinking", thinking: "hm", signature: "of Claude" }, answer, ...first.blocks),
    user({ ...result("call_1", "x"), is_error: true }, "go on"),
  ];
  expect((await run(client, request(loop))).error).toBeNull();
  const { id: _, ...sentCall } = call;
  const output = ["Error:", "x"].map((text) => ({ type: "input_text", text }));
  expect(sent[1]?.["input"]).toEqual([
    says("hi"),
    replies("The gist."),
    says("on"),
    replies("So."),
    reasoning,
    sentCall,
    { type: "function_call_output", call_id: "call_1", output },
    says("go on"),
  ]);
});

/** An answer that reasoned, as the log keeps it. */
const thought = (item: object, ...rest: AssistantBlock[]): Message =>
  said({ type: "thinking", thinking: "", signature: `openai:${JSON.stringify(item)}` }, ...rest);
const answer = { type: "text", text: "So." } as const;

test.each([
  ["of another key", { ...reasoning, encrypted_content: "other" }],
  ["without its content", { ...reasoning, encrypted_content: null }],
])("reasoning %s is left out once it was refused, and what follows is kept", async (_, foreign) => {
  const { client, sent } = openAi([stream([completed]), stream([completed])]);
  const path = [user("hi"), thought(foreign, answer), user("go on")];
  expect((await run(client, request(path))).error).toBeNull();
  const more = [...path, thought(reasoning, answer), user("and on")];
  expect((await run(client, request(more))).error).toBeNull();
  const kinds = sent.map(({ ["input"]: input }) =>
    (input as Item[]).map(({ type }) => type).join(" "),
  );
  expect(kinds).toEqual([
    "message reasoning message message",
    "message message message",
    "message message message reasoning message message",
  ]);
});

test("reasoning that led to nothing, because the answer was cut, is not sent", async () => {
  const { client, sent } = openAi([stream([completed])]);
  const path = [user("hi"), thought(reasoning), user("go on")];
  expect((await run(client, request(path))).error).toBeNull();
  expect(sent).toHaveLength(1);
});

test("a summary of the reasoning is not asked for again once it was refused", async () => {
  const message = "Your organization must be verified to generate reasoning summaries.";
  const refusal = refuse({ message, param: "reasoning.summary" });
  const { client, sent } = openAi([refusal, stream([completed]), stream([completed])]);
  for (let call = 0; call < 2; call++) expect((await run(client, request())).error).toBeNull();
  expect(sent.map(({ ["reasoning"]: asked }) => asked)).toEqual([
    { summary: "auto", effort: "high" },
    { effort: "high" },
    { effort: "high" },
  ]);
});

test.each([
  ["max_output_tokens", "max_tokens"],
  ["content_filter", "refusal"],
])("an answer that is cut by %s ends with %s", async (reason, stop) => {
  const { client } = openAi([
    stream([
      done(0, replies("so")),
      { type: "response.incomplete", response: { incomplete_details: { reason }, usage } },
    ]),
  ]);
  expect((await run(client, request())).stop?.stop).toBe(stop as never);
});

test("a refusal says why", async () => {
  const { client } = openAi([
    stream([done(0, message({ type: "refusal", refusal: "No." })), completed]),
  ]);
  expect((await run(client, request())).stop).toMatchObject({ stop: "refusal", detail: "No." });
});

const broke = { code: "server_error", message: "It broke." };
const textDelta = (delta: unknown): Event => {
  return { type: "response.output_text.delta", output_index: 1, delta };
};

test.each<[string, Event, string, string]>([
  [
    "reports a failure",
    { type: "response.failed", response: { error: broke } },
    "busy",
    "It broke.",
  ],
  ["reports an error", { type: "error", ...broke }, "busy", "It broke."],
  ["ends in the middle", done(0, call), "busy", "interrupted"],
  ["sends another API's event", textDelta(7), "invalid", "Responses API"],
])("a server that %s fails the call", async (_, event, kind, words) => {
  const { client } = openAi([stream([event])]);
  const { error } = await run(client, request());
  expect(error?.kind).toBe(kind as never);
  expect(error?.message).toContain(words);
});

test("OpenAI's models have their own window and prices; those of its imitators are asked for", async () => {
  const { client } = openAi([]);
  expect(await client.rules("gpt-5.5")).toMatchObject({
    windowTokens: 272_000,
    outputTokens: 128_000,
    thinking: "free",
    prices: { input: 5, output: 30, cacheRead: 0.5, areEstimates: true },
  });
  expect(await client.rules("o3")).toMatchObject({ windowTokens: 200_000, outputTokens: 100_000 });
  expect((await client.rules("gpt-4.1")).thinking).toBe("none");
  const other = createOpenAiClient({
    baseUrl: "http://local/v1",
    api: "responses",
    fetch: async () => new Response("no", { status: 404 }),
  });
  expect(await other.rules("gpt-oss")).toMatchObject({ windowTokens: 32_768, thinking: "free" });
});

const reads = { type: "function_call", name: "Read", arguments: { file_path: "a" } };
const output = [
  { ...reasoning, encrypted_content: null },
  replies("Let me look."),
  reads,
  { ...reads, call_id: "c" },
  { ...reads, call_id: "c" },
];
const whole = { object: "response", output, usage: { input_tokens: "9" } };
const atEnd: Event = { type: "response.completed", response: whole };
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

test.each([
  ["come only at its end", event(atEnd)],
  [
    "have no places",
    [...output.map((item) => ({ ...done(0, item), output_index: null })), atEnd]
      .map(event)
      .join(""),
  ],
  ["are not streamed", JSON.stringify(whole)],
])("an answer whose items have no ids, or the same, and %s, is read", async (_, body) => {
  const fetch = async () => new Response(body);
  const client = createOpenAiClient({ baseUrl: "http://local/v1", api: "responses", fetch });
  const { blocks, stop } = await run(client, buildRequest({ model: "m" }));
  expect(blocks).toMatchObject([
    { type: "text", text: "Let me look." },
    { type: "tool_use", name: "Read", input: { file_path: "a" }, id: expect.any(String) },
    { type: "tool_use", id: "c" },
    { type: "tool_use", id: expect.not.stringMatching(/^c$/) },
  ]);
  expect(stop).toMatchObject({ stop: "tool_use", usage: { input: 9 } });
});
