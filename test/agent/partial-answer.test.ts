import { expect, test } from "bun:test";
import { PartialAnswer } from "../../src/agent/call.ts";
import type { AssistantBlock } from "../../src/protocol/block.ts";

const text = (words: string): AssistantBlock => ({ type: "text", text: words });

test("complete blocks and growing text are kept, in their order", () => {
  const answer = new PartialAnswer();
  answer.add({ type: "delta", index: 2, kind: "text", text: "and " });
  answer.add({ type: "delta", index: 0, kind: "text", text: "Hel" });
  answer.add({ type: "block", index: 0, block: text("Hello") });
  answer.add({ type: "delta", index: 2, kind: "text", text: "more" });
  answer.add({
    type: "block",
    index: 1,
    block: { type: "tool_use", id: "t", name: "x", input: {} },
  });
  expect(answer.content).toEqual([
    text("Hello"),
    { type: "tool_use", id: "t", name: "x", input: {} },
    text("and more"),
  ]);
});

test("growing text stays before complete blocks that follow it", () => {
  const answer = new PartialAnswer();
  answer.add({ type: "delta", index: 0, kind: "text", text: "Hel" });
  answer.add({ type: "block", index: 1, block: text("more") });
  expect(answer.content).toEqual([text("Hel"), text("more")]);
});

test("half a thought, half a tool call and blank text are dropped", () => {
  const answer = new PartialAnswer();
  answer.add({ type: "delta", index: 0, kind: "thinking", text: "Hm" });
  answer.add({ type: "delta", index: 1, kind: "input", text: '{"a":' });
  answer.add({ type: "delta", index: 2, kind: "text", text: " \n" });
  expect(answer.content).toEqual([]);
});
