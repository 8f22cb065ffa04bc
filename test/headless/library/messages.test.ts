/** Conversion of messages of the Messages API to facts. */

import { expect, test } from "bun:test";
import { toFacts } from "../../../src/headless/library/messages.ts";
import { noUsage } from "../../../src/protocol/model.ts";

const at = "2026-11-22T00:00:00.000Z";
const facts = (message: Parameters<typeof toFacts>[0]) =>
  toFacts(message, { model: "m", at, findTool: (call) => `tool of ${call}` });

const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "AA==" },
} as const;

test("a message of the user holds results, then what was said", () => {
  const content = [
    { type: "text", text: "And now?" },
    { type: "tool_result", tool_use_id: "a", content: "é\ntwo", is_error: true },
    { type: "tool_result", tool_use_id: "b", content: [image] },
    { type: "tool_result", tool_use_id: "c" },
  ];
  expect(facts({ role: "user", content })).toEqual([
    {
      type: "result",
      toolUse: "a",
      tool: "tool of a",
      content: [{ type: "text", text: "é\ntwo" }],
      bytes: 6,
      lines: 2,
      isError: true,
    },
    { type: "result", toolUse: "b", tool: "tool of b", content: [image], bytes: 0, lines: 1 },
    { type: "result", toolUse: "c", tool: "tool of c", content: [], bytes: 0, lines: 1 },
    { type: "user", content: [{ type: "text", text: "And now?" }] },
  ]);
  expect(facts({ role: "user", content: "hi" })).toEqual([
    { type: "user", content: [{ type: "text", text: "hi" }] },
  ]);
});

test("an answer says why it ended, or its calls do; usage that is not valid is none", () => {
  const call = { type: "tool_use" as const, id: "t", name: "Read", input: {} };
  const answer = { type: "assistant" as const, model: "m", sentAt: at };
  expect(facts({ role: "assistant", content: [call] })).toEqual([
    { ...answer, content: [call], usage: noUsage, stop: "tool_use" },
  ]);
  const [fact] = facts({
    role: "assistant",
    content: "Cut",
    stop_reason: "max_tokens",
    usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3 },
  });
  expect(fact).toMatchObject({
    stop: "max_tokens",
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 0 },
  });
  expect(facts({ role: "assistant", content: "Done." })[0]).toMatchObject({ stop: "end_turn" });
});

test("what cannot be used is refused in a sentence", () => {
  const content = [{ type: "document", source: {} }];
  expect(() => facts({ role: "user", content })).toThrow("This message cannot be used: ");
  expect(() => facts({ role: "system", content: "x" })).toThrow("This message cannot be used: ");
});
