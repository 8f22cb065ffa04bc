import { expect, test } from "bun:test";
import { History } from "../../../src/context/view/history.ts";
import type { View } from "../../../src/context/types.ts";
import { project } from "../../../src/context/view/view.ts";
import type { Entry, Fact } from "../../../src/protocol/entry.ts";
import { todosOf } from "../../../src/protocol/todo.ts";
import fc from "../../properties.ts";
import { Builder } from "../build.ts";
import { paths, share } from "../sessions.ts";
import { calls, gives, stamp, user, viewOf } from "../summary/say.ts";
import { userMessagesIn } from "../../../src/context/summary/user-messages.ts";
import { wholeRange } from "../../../src/context/view/rows.ts";

const kinds = {
  user: ({ type }) => type === "user",
  context: ({ type }) => type === "context",
  todos: (entry) =>
    entry.type === "assistant" && entry.stop !== "failed" && todosOf(entry) !== null,
  command: (entry) =>
    entry.type === "assistant" &&
    entry.stop !== "failed" &&
    entry.content.some(
      (one) => one.type === "tool_use" && typeof one.input["command"] === "string",
    ),
  error: (entry) => entry.type === "result" && entry.isError === true,
} satisfies Record<Parameters<History["rows"]>[0], (entry: Entry) => boolean>;

const named = ["user", "context", "todos", "command", "error"] as const;

/** The files that results touched, found by reading every row. */
function filesOf(view: View, from: number, to: number) {
  const touched = view.rows
    .slice(from, to + 1)
    .flatMap(({ entry }) => (entry.type === "result" ? (entry.stamps ?? []) : []));
  const newest = new Set(touched.toReversed().map(({ path }) => path));
  return [...newest].map((path) => ({
    path,
    written: touched.some((one) => one.path === path && one.does === "write"),
  }));
}

test("it lists the same rows and files as a scan of every row", () => {
  fc.assert(
    fc.property(paths({ most: 60 }), share, share, (path, one, other) => {
      const view = project(path);
      const [from = 0, to = 0] = [one, other]
        .map((at) => Math.floor(at * path.length))
        .sort((a, b) => a - b);
      for (const kind of named) {
        const rows = view.rows.flatMap(({ entry }, row) =>
          row >= from && row <= to && kinds[kind](entry) ? [row] : [],
        );
        expect(view.history.rows(kind, { from, to })).toEqual(rows);
        expect(view.history.lastRow(kind, { from, to })).toBe(rows.at(-1));
      }
      expect(view.history.files({ from, to })).toEqual(filesOf(view, from, to));
    }),
  );
});

test("files are ordered by their last use; a failed answer wrote no list", () => {
  const list = calls("l", "TodoWrite", { todos: [] });
  const facts: Fact[] = [
    user("go"),
    gives("a", "Edit", "", { stamps: [stamp("/a", "write"), stamp("/b", "read")] }),
    gives("b", "Read", "", { stamps: [stamp("/a", "read")], isError: true }),
    { ...list, stop: "failed" },
    list,
  ];
  const { history } = viewOf(...facts);
  expect(history.files({ from: 0, to: 9 })).toEqual([
    { path: "/a", written: true },
    { path: "/b", written: false },
  ]);
  expect(history.files({ from: 0, to: 2 }).map(({ path }) => path)).toEqual(["/b", "/a"]);
  expect(history.files({ from: 3, to: 9 })).toEqual([{ path: "/a", written: false }]);
  expect(history.rows("todos", { from: 0, to: 9 })).toEqual([5]);
  expect(history.rows("error", { from: 0, to: 9 })).toEqual([3]);
});

test("a message whose text was repaired is read again", () => {
  const session = new Builder();
  const { id: entry } = session.user("broken");
  const messages = () => userMessagesIn(wholeRange(session.view));
  const [before] = messages();
  session.add({ type: "repair", blocks: [{ entry, index: 0, text: "mended" }] });
  const [after] = messages();
  expect(after?.text).toBe("mended");
  // What is known about a message is kept with its object.
  expect(after).not.toBe(before);
  expect(messages()[0]).toBe(after);
});
