import { expect, test } from "bun:test";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import { errorLines, describeOutcome } from "../../../src/ui/transcript/outcome.ts";
import { Builder } from "../../context/build.ts";
import { stage } from "../stage.ts";

const call = { type: "tool_use" as const, id: "c1", name: "Bash", input: { command: "make" } };

const result = (text: string, more: Partial<EntryOf<"result">> = {}): EntryOf<"result"> => ({
  id: "e3",
  parent: "e2",
  at: "2026-01-01T00:00:30.000Z",
  type: "result",
  toolUse: "c1",
  tool: "Bash",
  content: [{ type: "text", text }],
  bytes: text.length,
  lines: text.split("\n").length,
  ...more,
});

const asked = (text: string) => result(text, { tool: "AskUserQuestion" });

const planned = (text: string) => result(text, { tool: "ExitPlanMode" });

const failed = (text: string) => result(text, { isError: true });

const diff = "Changed a.ts.\n--- a/a.ts\n+++ b/a.ts\n@@ -78,3 +78,4 @@\n x\n-old\n+new\n+more\n y";

test.each([
  [result("one\ntwo"), "ok · 2 lines"],
  [result("one"), "ok · 1 line"],
  [result("(no output)"), "ok"],
  [result(diff), "+2 −1"],
  [failed("2 tests failed\n[exit code 1]"), "exit 1"],
  [failed("half\n[timed out after 100 ms]"), "timed out"],
  [failed("The user denied this call. Do not attempt it another way."), "denied"],
  [failed("A hook blocked this call: no."), "blocked"],
  [failed("Plan mode: nothing is written or run. Look around."), "not in plan mode"],
  [failed("There is no file a.ts."), "failed"],
  [asked("The user's answers:\n- Which one?\n  The first"), "answered"],
  [asked("The user's answers:\n- Which one?\n  (not answered; decide yourself)"), "not answered"],
  [planned("The user approved the plan. Carry it out."), "approved"],
  [planned("The user did not approve the plan. Plan mode goes on."), "not approved"],
  [result("The user's answers:\n- Which one?\n  The first"), "ok · 3 lines"],
  [result("The user approved the plan. Carry it out."), "ok · 1 line"],
])("the outcome of %j", (one, words) => {
  expect(describeOutcome(call, one)).toBe(words);
});

test("the outcome of other calls", () => {
  expect(describeOutcome({ ...call, input: { pattern: "x" } }, result("one\ntwo"))).toBe("2 lines");
  for (const nothing of ["No match in src.", "No file matches *.py in the workspace."])
    expect(describeOutcome({ ...call, input: { pattern: "x" } }, result(nothing))).toBe("no match");
});

test("counts the lines that were read or written, and the files that were found", () => {
  const of = (name: string, input: object, one: EntryOf<"result">): string =>
    describeOutcome({ ...call, name, input: { ...input } }, one);
  const stamp = { path: "/w/a.ts", does: "read", hash: "h", bytes: 900 } as const;
  const page = result("3\tx\n4\ty\n[Lines 3-4 of 9. Continue with offset 5.]", {
    stamps: [{ ...stamp, lines: [3, 4] }],
  });
  expect(of("Read", { file_path: "a.ts", offset: 3, limit: 2 }, page)).toBe("2 lines");
  const created = result("Created a.ts (2 lines, 12 bytes).");
  expect(of("Write", { file_path: "a.ts", content: "one\ntwo\n" }, created)).toBe("2 lines");
  const found = result(
    "a.ts\nb.ts\n[1,200 more files; 1,300 matching lines in 1,202 files in all.]",
  );
  expect(of("Grep", { pattern: "x" }, found)).toBe("1,202 files");
  expect(of("Glob", { pattern: "*.ts" }, result("a.ts"))).toBe("1 file");
  const lines = result("a.ts:1:x\na.ts:2:x");
  expect(of("Grep", { pattern: "x", output_mode: "content" }, lines)).toBe("2 lines");
});

test("a todo list says how much of it is done", () => {
  const todos = ["completed", "in_progress", "pending"].map((status) => ({ content: "a", status }));
  const todo = { ...call, name: "TodoWrite", input: { todos } };
  expect(describeOutcome(todo, result("1\n2\n3"))).toBe("1 of 3 done");
});

test("an error shows its first lines and its last one", () => {
  expect(errorLines(failed("a\n\nb\n[exit code 1]"))).toEqual(["a", "b"]);
  expect(errorLines(failed("1\n2\n3\n4\n5\n6\n[exit code 2]"))).toEqual([
    "1",
    "2",
    "3",
    "… 2 more lines",
    "6",
  ]);
});

/** The last rows of a session whose only call ran 30 s, 26 s of them a question. */
function shown(outcome: string | null, more: Partial<EntryOf<"result">> = {}, columns = 60) {
  const built = new Builder();
  built.user("build it");
  built.answer([{ ...call, id: "b" }]);
  built.nowMs += 25_000;
  built.add({ type: "note", kind: "permission", text: "allowed (once): Run a command" });
  built.nowMs += 3_000;
  if (outcome !== null) built.result("b", outcome, { tool: "Bash", ...more });
  const on = stage(built, { nowMs: built.nowMs });
  const { lines } = on.controller.transcript.frame(columns, 20);
  return lines.map((text) => Bun.stripANSI(text).replace(/ {2,}/, "  ")).slice(3);
}

test("a call does not count the time spent waiting for approval, and shows its time while it runs", () => {
  expect(shown("done")[0]).toBe("● Bash make  ok · 1 line · 4.0 s");
  expect(shown(null)).toEqual(["○ Bash make  3 s"]);
});

test("a failed call shows its outcome in its row, and errors without being opened", () => {
  expect(shown("2 tests failed\n[exit code 1]", { isError: true })).toEqual([
    "✗ Bash make  exit 1 · 4.0 s",
    "  │ 2 tests failed",
  ]);
});

test("an error of one sentence is shown to its end, a long one in three rows", () => {
  const sentence = "old_string occurs 10 times in a.ts. Add surrounding lines until it is unique.";
  const [, ...lines] = shown(sentence, { isError: true });
  expect(lines.map((line) => line.slice(4)).join(" ")).toBe(sentence);
  expect(shown("word ".repeat(10_000), { isError: true })).toHaveLength(4);
});

test.each([
  ["The user denied this call and said: use make,\nnot npm", ["You said: use make,", "not npm"]],
  ["The user denied this call. Do not attempt it another way; ask what to do instead.", []],
])("only the user's reason for a denied call is shown: %j", (text, lines) => {
  const denied = failed(text);
  if (denied.type !== "result") throw new Error("no result");
  expect(errorLines(denied)).toEqual(lines);
  expect(describeOutcome(call, denied)).toBe("denied");
});

test("a denial is shown once, in the call's row", () => {
  const built = new Builder();
  built.user("build it");
  built.answer([{ ...call, id: "b" }]);
  built.add({ type: "note", kind: "permission", text: "denied: Run a command: make" });
  built.result("b", "The user denied this call and said: no", { tool: "Bash", isError: true });
  const on = stage(built, { nowMs: built.nowMs });
  const { lines } = on.controller.transcript.frame(80, 20);
  expect(lines.map((text) => Bun.stripANSI(text).replace(/ {2,}/, "  ")).slice(-3)).toEqual([
    "",
    "✗ Bash make  denied · 1.0 s",
    "  │ You said: no",
  ]);
});
