import { expect, test } from "bun:test";
import type { ToolUseBlock } from "../../../src/protocol/block.ts";
import type { EntryOf } from "../../../src/protocol/entry.ts";
import { Builder, call } from "../../context/build.ts";
import { stage, type Stage } from "../stage.ts";
import { outcome, plainRows } from "./call-rows.ts";

const diff = "Changed a.ts.\n--- a/a.ts\n+++ b/a.ts\n@@ -78,3 +78,4 @@\n x\n-old\n+new\n+more\n y";

const failed = { result: { isError: true as const } };

const todos = ["completed", "in_progress", "pending"].map((status) => ({ content: "a", status }));

const asked = { name: "AskUserQuestion" };

const planned = { name: "ExitPlanMode" };

test.each([
  ["one\ntwo", {}, "ok · 2 lines"],
  ["one", {}, "ok · 1 line"],
  ["(no output)", {}, "ok"],
  [diff, {}, "+2 −1"],
  ["2 tests failed\n[exit code 1]", failed, "exit 1"],
  ["half\n[timed out after 100 ms]", failed, "timed out"],
  ["The user denied this call. Do not attempt it another way.", failed, "denied"],
  ["A hook blocked this call: no.", failed, "blocked"],
  ["Plan mode: nothing is written or run. Look around.", failed, "not in plan mode"],
  ["There is no file a.ts.", failed, "failed"],
  ["The user's answers:\n- Which one?\n  The first", asked, "answered"],
  ["The user's answers:\n- Which one?\n  (not answered; decide yourself)", asked, "not answered"],
  ["The user approved the plan. Carry it out.", planned, "approved"],
  ["The user did not approve the plan. Plan mode goes on.", planned, "not approved"],
  ["The user's answers:\n- Which one?\n  The first", {}, "ok · 3 lines"],
  ["The user approved the plan. Carry it out.", {}, "ok · 1 line"],
])("the outcome of %j", (text, options, words) => {
  expect(outcome(text, options)).toBe(words);
});

test.each<[name: string, input: ToolUseBlock["input"], text: string, words: string]>([
  ["Search", { pattern: "x" }, "one\ntwo", "2 lines"],
  ["Search", { pattern: "x" }, "No match in src.", "no match"],
  ["Search", { pattern: "x" }, "No file matches *.py in the workspace.", "no match"],
  ["Write", { file_path: "a.ts", content: "one\ntwo\n" }, "Created a.ts.", "2 lines"],
  ["Grep", { pattern: "x" }, "a.ts\n[1,200 more files; 1,300 lines in all.]", "1,201 files"],
  ["Grep", { pattern: "x", output_mode: "content" }, "a.ts:1:x\na.ts:2:x", "2 lines"],
  ["Glob", { pattern: "*.ts" }, "a.ts", "1 file"],
  ["TodoWrite", { todos }, "1\n2\n3", "1 of 3 done"],
])("the outcome of %s %j: %j", (name, input, text, words) => {
  expect(outcome(text, { name, input })).toBe(words);
});

test("of a page, the lines that were read are counted", () => {
  const stamp = { path: "/w/a.ts", does: "read", hash: "h", bytes: 900 } as const;
  const page = "3\tx\n4\ty\n[Lines 3-4 of 9. Continue with offset 5.]";
  const result = { stamps: [{ ...stamp, lines: [3, 4] as [number, number] }] };
  expect(outcome(page, { name: "Read", input: { file_path: "a.ts" }, result })).toBe("2 lines");
});

test("subagents and tools that call a model show their cost", () => {
  const usage = { input: 100, cacheRead: 0, cacheWrite: 0, output: 40 };
  const subagent = { session: "s", type: "Explore", model: "m", calls: 3, usage, usd: 0.25 };
  expect(outcome("It is here.", { result: { subagent } })).toBe("3 calls · 140 tokens · $0.25");
  const estimated = { ...subagent, isEstimate: true as const };
  expect(outcome("Here.", { result: { subagent: estimated } })).toContain("~$0.25");
  const spent = { model: "m", usage, usd: 0.25, isEstimate: true as const };
  expect(outcome("It is here.", { result: { spent } })).toBe("1 line · ~$0.25");
});

test("an error shows its first lines and its last one", () => {
  const rows = (text: string): string[] => plainRows(text, failed).slice(1);
  expect(rows("a\n\nb\n[exit code 1]")).toEqual(["  │ a", "  │ b"]);
  expect(rows("1\n2\n3\n4\n[exit code 2]")).toHaveLength(4);
  expect(rows("1\n2\n3\n4\n5\n6\n[exit code 2]")).toEqual(
    ["1", "2", "3", "… 2 more lines", "6"].map((line) => `  │ ${line}`),
  );
});

test("a command shows its first line and its last three", () => {
  const rows = (count: number, more = ""): string[] =>
    plainRows(Array.from({ length: count }, (_, n) => `row ${n + 1}`).join("\n") + more).slice(1);
  expect(rows(5)).toEqual(["row 1", "row 2", "row 3", "row 4", "row 5"].map((row) => `  │ ${row}`));
  expect(rows(6, "\n\n[A note.]")).toEqual(
    ["row 1", "+3 lines (Alt-O)", "row 4", "row 5", "row 6"].map((row) => `  │ ${row}`),
  );
});

/** The last rows of a session whose only call ran 30 s, 26 s of them a question. */
function shown(outcome: string | null, more: Partial<EntryOf<"result">> = {}, columns = 60) {
  const built = new Builder();
  built.user("build it");
  built.answer([call("b", "Bash", { command: "make" })]);
  built.nowMs += 25_000;
  built.add({ type: "note", kind: "permission", text: "allowed (once): Run a command" });
  built.nowMs += 3_000;
  if (outcome !== null) built.result("b", outcome, { tool: "Bash", ...more });
  return rowsBelow(built, columns);
}

/** The rows below the prompt, while the agent works. */
function rowsBelow(built: Builder, columns = 60, phase: "tools" | null = "tools"): string[] {
  const on = stage(built, { nowMs: built.nowMs });
  if (phase) on.store.take({ type: "phase", phase });
  const lines = on.transcript(columns, 20);
  return lines.map((text) => text.replace(/ {2,}/, "  ")).slice(3);
}

test("a call does not count the time spent waiting for approval, and shows its time while it runs", () => {
  expect(shown("done")[0]).toBe("● Bash make  ok · 1 line · 4.0 s");
  expect(shown(null)).toEqual(["○ Bash make  3 s"]);
});

test("a call without a result in a session that ended abruptly does not run on", () => {
  const built = new Builder();
  built.user("build it");
  built.answer([call("b", "Bash", { command: "make" })]);
  expect(rowsBelow(built, 60, null)).toEqual(["○ Bash make  interrupted"]);
  built.user("go on");
  expect(rowsBelow(built)[0]).toBe("○ Bash make  interrupted");
});

test("the newest calls of a running script are shown, of one that ended those that failed, and all of an open one", async () => {
  const built = new Builder();
  built.user("count");
  built.answer([call("s", "Script", { code: "1" })]);
  for (const n of [1, 2, 3, 4, 5])
    built.add({
      type: "step",
      outer: "s",
      toolUse: `s${n}`,
      tool: "Read",
      input: { file_path: `${n}.ts` },
      content: [],
      bytes: 0,
      lines: 0,
      ms: 2_000,
      ...(n < 3 && { isError: true as const }),
    });
  const readCalls = (on: Stage): string[] =>
    on
      .transcript()
      .flatMap((line) => /(?<=^ {2}. Read )\d.*/.exec(line)?.[0].replace(/ {2,}/, " ") ?? []);
  expect(readCalls(stage(built))).toEqual([
    "3.ts ok · 2.0 s",
    "4.ts ok · 2.0 s",
    "5.ts ok · 2.0 s",
  ]);
  built.result("s", "15", { tool: "Script" });
  const ended = stage(built);
  expect(readCalls(ended)).toEqual(["1.ts failed · 2.0 s", "2.ts failed · 2.0 s"]);
  await ended.press("<alt+o>");
  expect(readCalls(ended)).toHaveLength(5);
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
  const [title, ...rows] = plainRows(text, failed);
  expect(title).toEndWith("denied");
  expect(rows).toEqual(lines.map((line) => `  │ ${line}`));
});
