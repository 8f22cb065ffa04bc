/** Servers of the Messages API that leave out or bend what only describes an answer. */

import { expect, test } from "bun:test";
import { createAnthropicClient } from "../../src/model/anthropic/messages.ts";
import { buildRequest, run, toStream, type StreamEvent as Event, uses } from "./calls.ts";

const start = (message: object = { usage: { input_tokens: 9 } }): Event => ({
  type: "message_start",
  message: { id: "m", role: "assistant", content: [], ...message },
});
const begin = (content_block: object, index: unknown = 0): Event => {
  return { type: "content_block_start", index, content_block };
};
const delta = (delta: object, index: unknown = 0): Event => {
  return { type: "content_block_delta", index, delta };
};
const stopBlock = (index: unknown = 0): Event => ({ type: "content_block_stop", index });
const text = (said = "Done.", index: unknown = 0): Event[] => [
  begin({ type: "text", text: "" }, index),
  delta({ type: "text_delta", text: said }, index),
  stopBlock(index),
];
const end = (reason: unknown = "end_turn"): Event[] => [
  { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 3 } },
  { type: "message_stop" },
];

const reply = (body: string, type = "text/event-stream") => {
  const fetch = async (): Promise<Response> =>
    new Response(body, { headers: { "content-type": type } });
  const client = createAnthropicClient({ apiKey: "test-key", baseUrl: "http://local", fetch });
  const tools = [
    { name: "Glob", description: "", input_schema: { type: "object" as const, properties: {} } },
  ];
  return run(client, buildRequest({ model: "m", tools }));
};

const answer = (...events: Event[]) => reply(toStream(events));

test.each<[string, object]>([
  ["no usage", {}],
  ["a word", { usage: "none" }],
  ["negative counts", { usage: { input_tokens: -12, cache_read_input_tokens: 500 } }],
  ["fractions and text", { usage: { input_tokens: 9.4, output_tokens: "3" } }],
  ["infinite counts", { usage: { input_tokens: "Infinity", output_tokens: "NaN" } }],
  ["odd parts", { usage: { input_tokens: 9, cache_creation: 7, iterations: "x" } }],
])("usage: %s", async (_, message) => {
  const { error, blocks, stop } = await answer(start(message), ...text(), ...end());
  expect(error).toBeNull();
  expect(blocks).toEqual([{ type: "text", text: "Done." }]);
  const { input, output, cacheRead } = stop?.usage ?? {};
  for (const count of [input, output, cacheRead])
    expect(Number.isSafeInteger(count) && Number(count) >= 0).toBe(true);
});

test.each<[string, Event[]]>([
  ["no message in the first event", [{ type: "message_start" }, ...text(), ...end()]],
  ["no first event", [...text(), ...end()]],
  ["a text block without text", [start(), begin({ type: "text" }), ...text().slice(1), ...end()]],
  ["a delta whose block never began", [start(), ...text().slice(1), ...end()]],
  ["a block that never ends", [start(), ...text().slice(0, 2), ...end()]],
  ["an index as text", [start(), ...text("Done.", "0"), ...end()]],
  ["no index", [start(), ...text("Done.", undefined), ...end()]],
  ["no reason", [start(), ...text(), ...end(null)]],
  ["a reason that is a number", [start(), ...text(), ...end(7)]],
  [
    "no delta at the end",
    [start(), ...text(), { type: "message_delta", usage: null }, ...end().slice(1)],
  ],
  ["no message_delta", [start(), ...text(), { type: "message_stop" }]],
  ["no message_stop", [start(), ...text(), ...end().slice(0, 1)]],
])("%s", async (_, events) => {
  const { error, blocks, stop } = await answer(...events);
  expect(error).toBeNull();
  expect(blocks).toEqual([{ type: "text", text: "Done." }]);
  expect(stop?.stop).toBe("end_turn");
});

test.each<[string, object]>([
  ["null", { type: "thinking", thinking: "", signature: null }],
  ["missing, like the thought", { type: "thinking" }],
])("a signature that is %s", async (_, block) => {
  const { blocks } = await answer(
    start(),
    begin(block),
    delta({ type: "thinking_delta", thinking: "hm" }),
    stopBlock(),
    ...text("Done.", 1),
    ...end(),
  );
  expect(blocks).toEqual([
    { type: "thinking", thinking: "hm", signature: "" },
    { type: "text", text: "Done." },
  ]);
});

test("a server's summary grows part by part, and holds exactly what arrived", async () => {
  const { blocks } = await answer(
    start(),
    begin({ type: "compaction", content: null }),
    delta({ type: "compaction_delta", content: "The " }),
    delta({ type: "compaction_delta", content: "gist.", encrypted_content: "opaque" }),
    delta({ type: "signature_delta", signature: "se" }),
    delta({ type: "signature_delta", signature: "al" }),
    stopBlock(),
    ...end("compaction"),
  );
  expect(blocks).toEqual([
    { type: "compaction", content: "The gist.", encrypted_content: "opaque", signature: "seal" },
  ]);
});

test("a delta of another kind than its block changes nothing", async () => {
  const [first, words, last] = text();
  const { blocks } = await answer(
    start(),
    first!,
    words!,
    delta({ type: "thinking_delta", thinking: "x" }),
    delta({ type: "signature_delta", signature: "x" }),
    delta({ type: "compaction_delta", content: "x" }),
    delta({ type: "input_json_delta", partial_json: "{}" }),
    last!,
    ...end(),
  );
  expect(blocks).toEqual([{ type: "text", text: "Done." }]);
});

const pattern = delta({ type: "input_json_delta", partial_json: '{"pattern":"*"}' });

test.each<[string, object, Event[]]>([
  ['input ""', { id: "t", name: "Glob", input: "" }, [pattern, stopBlock()]],
  ["no input", { id: "t", name: "Glob" }, [pattern, stopBlock()]],
  ["an input as text", { id: "t", name: "Glob", input: '{"pattern":"*"}' }, [stopBlock()]],
  ["a whole input at once", { id: "t", name: "Glob", input: { pattern: "*" } }, [stopBlock()]],
  ["an empty id", { id: "", name: "Glob", input: {} }, [pattern, stopBlock()]],
  ["no id", { name: "Glob", input: {} }, [pattern, stopBlock()]],
  ["a mark in the name", { id: "t", name: "Glob<|channel|>commentary" }, [pattern, stopBlock()]],
  ["no end of the block", { id: "t", name: "Glob", input: {} }, [pattern]],
  [
    "a delta that is an object",
    { id: "t", name: "Glob", input: {} },
    [delta({ type: "input_json_delta", partial_json: { pattern: "*" } }), stopBlock()],
  ],
])("a call with %s", async (_, block, rest) => {
  const events = [begin({ type: "tool_use", ...block }), ...rest, ...end("tool_use")];
  const { error, blocks, stop } = await answer(start(), ...events);
  expect(error).toBeNull();
  expect(blocks).toMatchObject([{ type: "tool_use", name: "Glob", input: { pattern: "*" } }]);
  const [call] = blocks;
  expect(call?.type === "tool_use" && call.id !== "").toBe(true);
  expect(stop?.stop).toBe("tool_use");
});

test("two blocks with one index lose nothing", async () => {
  const first = [begin({ type: "text", text: "" }), delta({ type: "text_delta", text: "one" })];
  const call = begin(uses("t", "Glob"));
  const calls = [call, pattern, stopBlock(), call, pattern, stopBlock()];
  const { blocks, stop } = await answer(start(), ...first, ...calls, ...end(null));
  expect(blocks.map(({ type }) => type)).toEqual(["text", "tool_use", "tool_use"]);
  const ids = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  expect(new Set(ids).size).toBe(2);
  expect(stop?.stop).toBe("tool_use");
});

test("a whole message instead of a stream is an answer", async () => {
  const content = [{ type: "text", text: "Let me look." }, uses("t", "Glob", { pattern: "*" })];
  const usage = { input_tokens: 7, output_tokens: 2 };
  const whole = { type: "message", role: "assistant", content, stop_reason: "tool_use", usage };
  for (const type of ["application/json", "text/event-stream"]) {
    const { error, blocks, stop } = await reply(JSON.stringify(whole), type);
    expect(error).toBeNull();
    expect(blocks).toEqual(content as typeof blocks);
    expect(stop).toMatchObject({ stop: "tool_use", usage: { input: 7, output: 2 } });
  }
});

test.each([
  ["<!doctype html><title>Log in</title>", "invalid", "a web page"],
  ['{"ok":true}', "invalid", "no answer of the Messages API"],
  ['{"error":{"type":"authentication_error","message":"no such key"}}', "auth", "no such key"],
  ['{"error":"the model is gone"}', "busy", "the model is gone"],
])("an answer of %s is said, and not taken for a lost connection", async (body, kind, words) => {
  const { error } = await reply(body, "text/html");
  expect(error).toMatchObject({ kind, message: expect.stringContaining(words) });
});

test("an address may hold the path of the call; a 404 names the address", async () => {
  const called: string[] = [];
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    called.push(url instanceof Request ? url.url : String(url));
    return new Response("not here", { status: 404 });
  };
  for (const place of ["http://local", "http://local/claude"])
    for (const baseUrl of [`${place}/v1/messages`, `${place}/v1/`, place]) {
      const client = createAnthropicClient({ apiKey: "test-key", baseUrl, fetch });
      const { error } = await run(client, buildRequest({ model: "m" }));
      expect(error?.message).toContain(`${place}/v1/messages`);
      expect(error?.message).toContain("ANTHROPIC_BASE_URL");
      expect(called.splice(0)).toEqual([`${place}/v1/messages`]);
    }
});
