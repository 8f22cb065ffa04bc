/** Which files a result touched, and when a file was last used. */

import { expect, test } from "bun:test";
import type { ToolInput } from "../../../src/protocol/block.ts";
import type { EntryOf, FileStamp } from "../../../src/protocol/entry.ts";
import { begin, Builder, call } from "../build.ts";
import { stamp } from "../summary/say.ts";

/** After one call and its result. */
function touched(tool: string, input: ToolInput, more: Partial<EntryOf<"result">> = {}) {
  const one = begin();
  one.step("t", "text", { tool, input, ...more });
  return (path: string) => one.view.fileUse(path);
}

test.each([
  ["cat src/a.ts", ["/w/src/a.ts"]],
  ["cd src && sed -n 1,9p './b.ts'; make", ["/w/b.ts"]],
  ["head -5 a.txt | tail -1 /etc/hosts", ["/w/a.txt", "/etc/hosts"]],
  ["cat ~/c.ts", ["~/c.ts"]],
  ["cat <<EOF > a.ts", []],
  ["cat -", []],
  ["concat a.ts", []],
  ["echo cat a.ts", []],
  [`cat ${" ".repeat(1_991)}a.ts`, ["/w/a.ts"]],
  [`cat ${" ".repeat(1_993)}a.ts`, []],
])("the files that a shell command prints: %p", (command, files) => {
  const use = touched("Bash", { command });
  const all = ["/w/src/a.ts", "/w/b.ts", "/w/a.txt", "/w/a.ts", "/etc/hosts", "~/c.ts"];
  expect(all.filter((path) => use(path))).toEqual(all.filter((path) => files.includes(path)));
});

test("only a shell's command counts, and only if it succeeded; a stamp replaces it", () => {
  expect(touched("Print", { command: "cat c.ts" })("/w/c.ts")).toBeUndefined();
  expect(touched("Bash", { command: "cat c.ts" }, { isError: true })("/w/c.ts")).toBeUndefined();
  const stamps: FileStamp[] = [{ path: "/w/a", does: "read", hash: "", bytes: 1 }];
  const use = touched("Bash", { command: "cat c.ts" }, { stamps });
  expect([use("/w/a")?.edited, use("/w/c.ts")]).toEqual([false, undefined]);
});

test("a patch edits the files that it names", () => {
  const patch = "*** Begin Patch\n*** Update File: a.ts\n*** Add File: /x/b.ts \n*** End Patch";
  const use = touched("apply", { patch, other: 7 });
  expect([use("/w/a.ts")?.edited, use("/x/b.ts")?.edited]).toEqual([true, true]);
  expect(touched("apply", { patch: "*** Update File: a.ts" })("/w/a.ts")).toBeUndefined();
});

test("calls are counted since a file was last used, and an edit is remembered", () => {
  const one = new Builder();
  const use = (id: string, does: "read" | "write") => {
    one.step(id, "text", { stamps: [stamp("/w/a", does)] });
  };
  one.user("Go.");
  use("t1", "read");
  expect(one.view.fileUse("/w/a")).toEqual({ callsSince: 0, edited: false });
  use("t2", "write");
  one.step("t3", "text");
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
