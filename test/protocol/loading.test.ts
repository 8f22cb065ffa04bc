import { expect, test } from "bun:test";
import { messagesThatLoad } from "../../src/protocol/loading.ts";
import type { Message } from "../../src/protocol/model.ts";

test("messages whose results load tools are known by their index", () => {
  const tool = { name: "a", description: "", input_schema: { type: "object" as const } };
  const said: Message = { role: "user", content: [{ type: "text", text: "Hi" }] };
  const result = { type: "tool_result" as const, tool_use_id: "t", content: [] };
  const plain: Message = { role: "user", content: [result] };
  const loads: Message = { role: "user", content: [result, { ...result, loads: [tool] }] };
  expect(messagesThatLoad([said, loads, plain, loads])).toEqual([1, 3]);
});
