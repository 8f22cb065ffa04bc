/** The todo list in an answer's calls. */

import { expect, test } from "bun:test";
import { parseTodos, lastTodos, todoTool } from "../../src/protocol/todo.ts";
import { noUsage } from "../../src/protocol/model.ts";
import type { EntryOf } from "../../src/protocol/entry.ts";

const answer = (...inputs: object[]): EntryOf<"assistant"> => ({
  type: "assistant",
  id: "e2",
  parent: "e1",
  at: "2026-11-23T12:00:00.000Z",
  sentAt: "2026-11-23T12:00:00.000Z",
  model: "m",
  stop: "tool_use",
  usage: noUsage,
  content: inputs.map((input, index) => ({
    type: "tool_use",
    id: `t${index}`,
    name: todoTool,
    input: { ...input },
  })),
});

const list = (content: string, status = "pending") => ({ todos: [{ content, status }] });

test("a status that another agent has counts as pending", () => {
  expect(parseTodos(list("a", "cancelled"))).toEqual([{ content: "a", status: "pending" }]);
});

test.each([undefined, {}, { todos: "none" }, { todos: [{ status: "pending" }] }])(
  "%j is not a list",
  (input) => expect(parseTodos(input)).toBeNull(),
);

test("if an answer has several lists, the last valid one counts", () => {
  expect(lastTodos(answer(list("a"), list("b"), { todos: 1 }))).toEqual([
    { content: "b", status: "pending" },
  ]);
  expect(lastTodos(answer())).toBeNull();
});
