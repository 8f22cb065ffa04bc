import { expect, test } from "bun:test";
import { readIdLimit, shortId } from "../../src/model/openai/post.ts";

test.each([
  ["tool_call_id: string too long", 40],
  ["tool_call_id is invalid", 40],
  ["tool_call_id has a maximum length of 24", 24],
  ["tool call id: at most 12 characters", 12],
  ["tool_call_id must match ^[a-z]{1,16}$", 16],
  ["tool_call_id must match ^[a-z]{9}$", 9],
  ["tool_call_id has a maximum length of 3", 9],
  ["tool_call_id has a maximum length of 64", 40],
  ["tool_call_id is unknown", null],
  ["the name has a maximum length of 24", null],
])("%s: %p", (refusal, length) => {
  expect(readIdLimit(refusal)).toBe(length);
});

test("a short id is as long as asked for and depends only on the id", () => {
  expect(shortId("a", 9)).toMatch(/^[a-z\d]{9}$/);
  expect(shortId("a", 9)).toBe(shortId("a", 9));
  expect(shortId("a", 9)).not.toBe(shortId("b", 9));
});
