/** The todo list in an answer's calls. */

import { expect, test } from "bun:test";
import { parseTodos, lastTodos, todoTool } from "../../src/protocol/todo.ts";
import { noUsage } from "../../src/protocol/model.ts";
import type { EntryOf } from "../../src/protocol/entry.ts";
import { call } from "../context/build.ts";
import { answer, at } from "../facts.ts";

const withLists = (...inputs: object[]): EntryOf<"assistant"> => ({
  id: "e2",
  parent: "e1",
  at,
  ...answer(
    noUsage,
    inputs.map((input) => call("t", todoTool, { ...input })),
  ),
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
  expect(lastTodos(withLists(list("a"), list("b"), { todos: 1 }))).toEqual([
    { content: "b", status: "pending" },
  ]);
  expect(lastTodos(withLists())).toBeNull();
});
