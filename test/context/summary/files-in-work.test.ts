import { expect, test } from "bun:test";
import { outline } from "../../../src/context/summary/active-files.ts";
import { fromTheStart, wholeSpans } from "../../../src/context/summary/span.ts";
import {
  listCommands,
  filesInWork,
  lastWords,
  findTodo,
} from "../../../src/context/summary/files-in-work.ts";
import { wholeRange } from "../../../src/context/view/rows.ts";
import { newestMessages, listUserMessages } from "../../../src/context/summary/instructions.ts";
import { project } from "../../../src/context/view/view.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { calls, gives, makePath, reads, says, stamp, user, makeView } from "./say.ts";

const writes = (id: string, path: string) => [
  calls(id, "Edit", { file_path: path }),
  gives(id, "Edit", "changed", { stamps: [stamp(path, "write")] }),
];

test("files in work: newest first, once each, as many as asked for", () => {
  const view = makeView(
    user("a"),
    ...reads("t1", "/a", "a"),
    ...reads("t2", "/b", "b"),
    ...writes("t3", "/c"),
    ...reads("t4", "/a", "a"),
    says("done"),
  );
  const files = filesInWork(view, { from: "e2", to: "e11" }, 2);
  expect(files).toEqual([
    { path: "/a", written: false },
    { path: "/c", written: true },
  ]);
});

test("a file that stays whole in view is not read again, unless it was changed since", () => {
  const facts = [user("a"), ...reads("t1", "/a", "a"), says("b"), user("c")];
  const paths = (...more: Parameters<typeof makeView>) =>
    filesInWork(makeView(...facts, ...more), { from: "e2", to: "e5" }, 5).map(({ path }) => path);
  expect(paths(...reads("t2", "/a", "a"))).toEqual([]);
  expect(paths(...reads("t2", "/a", "a"), ...writes("t3", "/a"))).toEqual(["/a"]);
  expect(paths(...writes("t2", "/b"))).toEqual(["/b", "/a"]);
});

test.each([
  ["a.ts", "x\nexport const a = 1;\n  const inner = 2;\nexport class B {", ["2:", "4:"]],
  ["a.py", "# note\nclass A:\n    def run(self):\n        pass", ["2:", "3:"]],
  ["a.go", "package a\nfunc (s *S) Run() error {", ["2:"]],
  ["a.rs", "pub(crate) fn run() {\nimpl S {", ["1:", "2:"]],
  ["a.md", "# One\ntext\n## Two", ["1:", "3:"]],
  ["a.yaml", "name: x\n  inner: y\nother:", ["1:", "3:"]],
  ["a.json", '{\n  "name": 1,\n    "deep": 2\n}', ["2:"]],
  ["a.c", "int main(void) {\n  return 0;\n}", ["1:"]],
] as const)("outline of %s", (path, text, starts) => {
  const lines = outline(text, path).split("\n");
  expect(lines.map((line) => line.slice(0, 2))).toEqual([...starts]);
});

test("an outline is bounded and says what is missing", () => {
  const text = Array.from({ length: 100 }, (_, index) => `function f${index}() {}`).join("\n");
  const lines = outline(text, "a.js").split("\n");
  expect(lines).toHaveLength(81);
  expect(lines.at(-1)).toBe("(20 more)");
});

test("a message that was pasted keeps head and tail; the room is never exceeded", () => {
  const words = listUserMessages(
    wholeRange(makeView(user("first"), user(`HEAD${"x".repeat(9_000)}TAIL`), user("last"))),
  );
  const kept = newestMessages(words, 1_000, true);
  expect(kept.map(({ entry }) => entry)).toEqual(["e2", "e3", "e4"]);
  expect(kept[1]?.text).toMatch(/^HEAD.*characters cut; full text: recall #e3.*TAIL$/s);
  expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(1_000);
});

test("a span includes earlier summaries as a whole", () => {
  const path = makePath(user("a"), says("b"), user("c"), says("d"), user("e"), says("f"));
  const cut: Entry = {
    id: "e8",
    parent: "e7",
    at: "2026-01-01T00:00:00.000Z",
    type: "cut",
    tier: "summary",
    trigger: "auto",
    reason: "r",
    changes: [{ kind: "cover", span: { from: "e2", to: "e5" }, text: "so far" }],
    price: { usedBefore: 1, usedAfter: 1, cachedBroken: 0, usd: 0, breakEvenCalls: 0 },
  };
  const view = project([...path, cut]);
  expect(wholeSpans(view, { from: "e4", to: "e7" })).toEqual({ from: "e2", to: "e7" });
  expect(wholeSpans(view, { from: "e6", to: "e7" })).toEqual({ from: "e6", to: "e7" });
});

test("the server's span begins with the first thing that is sent", () => {
  const view = makeView(
    { type: "context", kind: "environment", title: "t", content: [{ type: "text", text: "x" }] },
    user("a"),
    says("b"),
  );
  expect(fromTheStart(view, { from: "e3", to: "e4" })).toEqual({ from: "e2", to: "e4" });
});

test("a message takes at most half of the room, and none is clipped to less than 200 characters", () => {
  const kept = (chars: number, maxChars: number) =>
    newestMessages(
      listUserMessages(wholeRange(makeView(user("x".repeat(chars))))),
      maxChars,
      true,
    ).map(({ text }) => text.length);
  expect(kept(200, 400)).toEqual([200]);
  expect(kept(201, 398)).toEqual([]);
  const [clipped = 0] = kept(900, 400);
  expect(clipped).toBeWithin(150, 201);
  expect(kept(500, 1_000)).toEqual([500]);
});

test("the newest list counts, wherever it is; a list in a failed answer does not", () => {
  const list = (id: string, content: string) =>
    calls(id, "TodoWrite", { todos: [{ content, status: "pending" }] });
  const failed = { ...list("t2", "never"), stop: "failed" as const };
  const texts = (...facts: Parameters<typeof makeView>) =>
    findTodo(wholeRange(makeView(...facts))).map(({ content }) => content);
  expect(texts(list("t1", "one"), user("go"), failed)).toEqual(["one"]);
  expect(texts(list("t1", "one"), list("t2", "two"), says("ok"))).toEqual(["two"]);
  expect(texts(calls("t1", "TodoWrite", { todos: "none" }), says("ok"))).toEqual([]);
});

test("commands come newest first, each with its result if it has one", () => {
  const view = makeView(
    calls("a", "Bash", { command: "a" }),
    gives("a", "Bash", "text"),
    calls("r", "Read", { file_path: "/a" }),
    gives("r", "Read", "text"),
    calls("b", "Bash", { command: "b" }),
    // Another program may reuse an id.
    calls("a", "Bash", { command: "c" }),
    gives("a", "Bash", "more"),
  );
  const found = (to: number) =>
    [...listCommands({ view, from: 1, to })].map(({ call, result }) => [
      call.input["command"],
      result?.id ?? null,
    ]);
  expect(found(7)).toEqual([
    ["c", "e8"],
    ["b", null],
    ["a", "e3"],
  ]);
  expect(found(6)).toEqual([
    ["c", null],
    ["b", null],
    ["a", "e3"],
  ]);
  expect(lastWords(wholeRange(makeView(says("One."), says(" "), user("Two."))))).toBe("One.");
});

test("a one-letter message counts, an empty one does not, and images are mentioned", () => {
  const image = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: "AAAA" },
  };
  const view = makeView(
    user("y"),
    user(""),
    { type: "user", content: [{ type: "text", text: "Look." }, image] },
    { type: "user", content: [image, image] },
  );
  expect(listUserMessages(wholeRange(view)).map(({ text }) => text)).toEqual([
    "y",
    "Look.\n[with 1 image]",
    "[with 2 images]",
  ]);
});
