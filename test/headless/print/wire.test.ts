import { expect, test } from "bun:test";
import { entryNamed, usageOnWire, makeUuid } from "../../../src/headless/print/messages.ts";
import { entry } from "./printed.ts";

const text = (words: string) => ({ type: "text" as const, text: words });
const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
const { entry: user } = entry({ type: "user", content: [text("a"), text("b")], uuid: "u1" });
const { entry: answer } = entry({
  type: "assistant",
  content: [text("one"), text("two")],
  model: "m",
  usage,
  stop: "end_turn",
  sentAt: "",
});
const path = [user, answer];

test.each([
  ["the client's own name", "u1", user],
  ["a message's", makeUuid(user), user],
  ["the first block's", makeUuid(answer, 0), answer],
  ["the last block's", makeUuid(answer, 1), answer],
  ["no block's", makeUuid(answer, 2), undefined],
  ["no message's", makeUuid(user, 1), undefined],
])("an entry is found by %s", (_, uuid, found) => {
  expect(entryNamed(uuid, path)).toBe(found);
});

test("the name of a block is the same in every version, and a UUID", () => {
  const at = "2026-01-01T00:00:02.000Z";
  expect(makeUuid({ id: "e1", at })).toBe("cfe8643c-9dc1-4087-a7b9-4b8f48939904");
  expect(makeUuid({ id: "e1", at }, 1)).toBe("87b52751-ead3-4574-abb1-b9d58458cb35");
});

test("tokens written for an hour are counted apart from those written for five minutes", () => {
  const used = { input: 1, cacheRead: 20, cacheWrite: 300, cacheWrite1h: 100, output: 4_000 };
  expect(usageOnWire({ ...used, webSearches: 5 })).toEqual({
    input_tokens: 1,
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 20,
    output_tokens: 4_000,
    server_tool_use: { web_search_requests: 5, web_fetch_requests: 0 },
    service_tier: "standard",
    cache_creation: { ephemeral_1h_input_tokens: 100, ephemeral_5m_input_tokens: 200 },
  });
  const { cacheWrite1h: _, ...plain } = used;
  expect(usageOnWire(plain)).toMatchObject({
    server_tool_use: { web_search_requests: 0 },
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 300 },
  });
});
