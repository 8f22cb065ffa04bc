/** The text that replaces what was cut: what it was, its size, and how to get it back. */

import { expect, test } from "bun:test";
import { findCall } from "../../src/context/view/rows.ts";
import { headAndTail, placeholder, replaceWhole } from "../../src/context/tiers/replacement.ts";
import { isResult } from "../../src/context/view/rows.ts";
import { Builder, call, say } from "./build.ts";
import { prose } from "./sessions.ts";

function makeResult(text: string, file?: string, tools?: readonly string[]) {
  const session = new Builder(tools ? { tools } : {});
  session.user("Go.");
  session.answer([call("a", "Grep", { pattern: "needle\n  in   a haystack" })]);
  session.result("a", text, { tool: "Grep", ...(file ? { file } : {}) });
  const row = session.view.rows.find(isResult);
  if (!row) throw new Error("no result");
  const { view } = session;
  return { session, view, row };
}

test("a placeholder names the size and the way back", () => {
  const { view, row } = makeResult(prose(4_096));
  const text = placeholder(view, row, "snipped");
  for (const part of ["snipped", "128 lines", "4.0 KB", "recall #e4"]) expect(text).toContain(part);
  expect(text.split("\n")).toHaveLength(1);
});

test("a placeholder says that a call failed, and never to repeat it", () => {
  const session = new Builder();
  session.user("Go.");
  session.answer([call("a", "Bash", { command: "make" })]);
  session.result("a", `${prose(400)}\n[exit code 2]`, { tool: "Bash", isError: true });
  const row = session.view.rows.find(isResult);
  if (!row) throw new Error("no result");
  expect(placeholder(session.view, row, "cleared")).toEndWith(
    ", failed with exit code 2; recall #e4]",
  );
});

test("if the full result is in a file, the file is the way back", () => {
  const { view, row } = makeResult(prose(400), "/h/tool-results/1-grep-a.txt");
  expect(placeholder(view, row, "cleared")).toContain("/h/tool-results/1-grep-a.txt");
  expect(headAndTail(view, row, 100)).toContain("/h/tool-results/1-grep-a.txt");
});

test("head and tail begin and end with whole lines, and say what is missing", () => {
  const lines = Array.from({ length: 400 }, (_, n) => `line ${n} of the file`).join("\n");
  const { view, row } = makeResult(lines);
  const text = headAndTail(view, row, 2_000);
  expect(text.length).toBeLessThanOrEqual(2_000);
  expect(text.startsWith("line 0 of the file\n")).toBe(true);
  expect(text.endsWith("\nline 399 of the file")).toBe(true);
  expect(text).toMatch(/\d+ characters cut/);
  for (const line of text.split("\n")) expect(line).toMatch(/^(line \d+ of the file|\[\.\.\. .*)$/);
});

test("no character is cut in half", () => {
  const { view, row } = makeResult("👩‍🔧".repeat(2_000));
  for (const budget of [101, 102, 103, 104])
    expect(headAndTail(view, row, budget).isWellFormed()).toBe(true);
});

test("the call that a result answers", () => {
  const { session, row } = makeResult("x");
  expect(findCall(session.view, row.entry)?.name).toBe("Grep");
});

test("a result whose call is gone has none", () => {
  const { session } = makeResult("x");
  session.answer([say("Done.")]);
  const late = session.result("a", "late", { tool: "Grep" });
  if (late.type !== "result") throw new Error("no result");
  expect(findCall(session.view, late)).toBeUndefined();
});

test.each([
  [1_023, "1023 bytes"],
  [1_024, "1.0 KB"],
  [1_600, "1.6 KB"],
  [102_400, "100.0 KB"],
])("the size of a result of %d bytes is %s", (bytes, size) => {
  // The builder also counts the block around a text.
  const { view, row } = makeResult("x".repeat(bytes - 6));
  expect(placeholder(view, row, "cleared")).toContain(`1 line, ${size}; recall #e4]`);
});

test("a long line is cut rather than more than half of what is kept", () => {
  const { view, row } = makeResult(`${"a".repeat(49)}\n${"b".repeat(400)}\n${"c".repeat(49)}`);
  const [head = "", , tail = ""] = headAndTail(view, row, 253).split(/\n(\[.*\])\n/);
  expect([head, tail]).toEqual([
    `${"a".repeat(49)}\n${"b".repeat(50)}`,
    `${"b".repeat(50)}\n${"c".repeat(49)}`,
  ]);
  const wide = makeResult(`${"a".repeat(59)}\n${"b".repeat(400)}\n${"c".repeat(59)}`).row;
  const parts = headAndTail(view, wide, 200).split(/\n\[.*\]\n/);
  expect(parts).toEqual(["a".repeat(59), "c".repeat(59)]);
  expect(headAndTail(view, wide, 200)).toContain(
    "[... 402 characters cut; full text: recall #e4 ...]",
  );
  expect(headAndTail(view, wide, 1)).toBe(
    "\n[... 520 characters cut; full text: recall #e4 ...]\n",
  );
});

test("without the tool Recall, nothing that replaces a text names it", () => {
  const { session, view, row } = makeResult(prose(2_048), undefined, ["Read"]);
  expect(placeholder(view, row, "cleared")).toMatch(/^\[cleared: \d+ lines?, 2\.0 KB\]$/);
  expect(headAndTail(view, row, 300)).toMatch(/\n\[\.\.\. \d+ characters cut \.\.\.\]\n/);
  const [change] = replaceWhole(view, [row], "snipped");
  if (change) session.cut([change], "snip");
  expect(replaceWhole(view, view.rows.filter(isResult), "cleared")).toEqual([]);
});
