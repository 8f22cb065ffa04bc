import { expect, test } from "bun:test";
import { filesTouched, findTodo } from "../../../src/context/summary/files-in-work.ts";
import { listUserMessages } from "../../../src/context/summary/instructions.ts";
import { wholeRange } from "../../../src/context/view/rows.ts";
import type { Fact } from "../../../src/protocol/entry.ts";
import { Builder } from "../build.ts";
import { calls, gives, stamp, user, makeView } from "./say.ts";

test("files are ordered by their last use; a failed answer wrote no list", () => {
  const todos = [{ content: "Test it.", status: "pending" }];
  const list = calls("l", "TodoWrite", { todos });
  const facts: Fact[] = [
    user("go"),
    gives("a", "Edit", "", { stamps: [stamp("/a", "write"), stamp("/b", "read")] }),
    gives("b", "Read", "", { stamps: [stamp("/a", "read")], isError: true }),
    list,
    { ...calls("m", "TodoWrite", { todos: [] }), stop: "failed" },
  ];
  const view = makeView(...facts);
  const files = (from: number, to: number) => filesTouched({ view, from, to });
  expect(files(0, 9)).toEqual([
    { path: "/a", written: true },
    { path: "/b", written: false },
  ]);
  expect(files(0, 2).map(({ path }) => path)).toEqual(["/b", "/a"]);
  expect(files(3, 9)).toEqual([{ path: "/a", written: false }]);
  expect(findTodo(wholeRange(view))).toMatchObject(todos);
});

test("a message whose text was repaired is read again", () => {
  const session = new Builder();
  const { id: entry } = session.user("broken");
  const texts = () => listUserMessages(wholeRange(session.view)).map(({ text }) => text);
  expect(texts()).toEqual(["broken"]);
  session.add({ type: "repair", blocks: [{ entry, index: 0, text: "mended" }] });
  expect(texts()).toEqual(["mended"]);
});
