/** Which files a tool result touched, and when a file was last used. */

import { expect, test } from "bun:test";
import { printedFiles } from "../../../src/context/view/touches.ts";
import { isResult } from "../../../src/context/view/rows.ts";
import { findCallFile, findTouches } from "../../../src/context/view/touches.ts";
import type { ToolInput } from "../../../src/protocol/block.ts";
import type { EntryOf, FileStamp } from "../../../src/protocol/entry.ts";
import { Builder, call } from "../build.ts";

test.each<[unknown, string[]]>([
  ["cat src/a.ts", ["src/a.ts"]],
  ["cd src && sed -n 1,9p './b.ts'; make", ["./b.ts"]],
  ["head -5 a.txt | tail -1 /etc/hosts", ["a.txt", "/etc/hosts"]],
  ["cat <<EOF > a.ts", []],
  ["cat", []],
  ["cat -", []],
  ["concat a.ts", []],
  ["echo cat a.ts", []],
  [`cat ${" ".repeat(1_991)}a.ts`, ["a.ts"]],
  [`cat ${" ".repeat(1_993)}a.ts`, []],
  [7, []],
])("the files that a shell command prints: %p", (command, files) => {
  expect(printedFiles({ command })).toEqual(files);
});

/** One call and its result, without stamps unless `more` contains them. */
function touched(tool: string, input: ToolInput, more: Partial<EntryOf<"result">> = {}) {
  const one = new Builder();
  one.user("Go.");
  one.answer([call("t", tool, input)]);
  one.result("t", "text", { tool, ...more });
  const row = one.view.rows.at(-1);
  if (!row || !isResult(row)) throw new Error("It is no result.");
  return findTouches(one.view, row);
}

test("a result touches what its stamps name, in part when lines are given", () => {
  const stamps: FileStamp[] = [
    { path: "/w/a", does: "read", hash: "", bytes: 1 },
    { path: "/w/b", does: "read", hash: "", bytes: 1, lines: [1, 2] },
  ];
  expect(touched("Bash", { command: "cat c.ts" }, { stamps })).toEqual([
    { path: "/w/a", does: "read", isPart: false },
    { path: "/w/b", does: "read", isPart: true },
  ]);
});

test("without stamps, a command touches what it prints or patches, in part", () => {
  expect(touched("Bash", { command: "cat ././c.ts" })).toEqual([
    { path: "/w/c.ts", does: "read", isPart: true },
  ]);
  expect(touched("Bash", { command: "cat ~/c.ts" })[0]?.path).toBe("~/c.ts");
  expect(touched("Print", { command: "cat c.ts" })).toEqual([]);
  expect(touched("Bash", { command: "cat c.ts" }, { isError: true })).toEqual([]);
  const patch = "*** Begin Patch\n*** Update File: a.ts\n*** Add File: /x/b.ts \n*** End Patch";
  expect(touched("apply", { patch, other: 7 })).toEqual([
    { path: "/w/a.ts", does: "write", isPart: true },
    { path: "/x/b.ts", does: "write", isPart: true },
  ]);
  expect(touched("apply", { patch: "*** Update File: a.ts" })).toEqual([]);
});

test("the file of a call is named as stamps name it", () => {
  const { view } = new Builder();
  expect(findCallFile(view, { file_path: "src/a.ts" })).toBe("/w/src/a.ts");
  expect(findCallFile(view, { file_path: "/src/a.ts" })).toBe("/src/a.ts");
  expect(findCallFile(view, {})).toBeNull();
});

test("calls are counted since a file was last used, and an edit is remembered", () => {
  const one = new Builder();
  const use = (id: string, does: "read" | "write") => {
    one.answer([call(id)]);
    one.result(id, "text", { stamps: [{ path: "/w/a", does, hash: "", bytes: 1 }] });
  };
  one.user("Go.");
  expect(one.view.fileUse("/w/a")).toBeUndefined();
  use("t1", "read");
  expect(one.view.fileUse("/w/a")).toEqual({ callsSince: 0, edited: false });
  use("t2", "write");
  one.answer([call("t3")]);
  one.result("t3", "text");
  expect(one.view.fileUse("/w/a")).toEqual({ callsSince: 1, edited: true });
  use("t4", "read");
  expect(one.view.fileUse("/w/a")).toEqual({ callsSince: 0, edited: true });
});

test("a command uses its files when its result comes, before the next answer", () => {
  const one = new Builder();
  const print = (id: string) => call(id, "Bash", { command: `cat ${id}.ts` });
  const uses = () => ["a", "b", "c"].map((id) => one.view.fileUse(`/w/${id}.ts`)?.callsSince);
  one.user("Go.");
  one.answer([print("a"), print("b"), print("c")]);
  one.result("b", "text", { tool: "Bash" });
  one.answer([], { stop: "failed" });
  one.result("a", "text", { tool: "Bash" });
  expect(uses()).toEqual([0, 1, undefined]);
  one.answer([print("d")]);
  one.result("c", "too late", { tool: "Bash" });
  expect(uses()).toEqual([1, 2, undefined]);
});
