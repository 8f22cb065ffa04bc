/** What stands in the place of what was cut: what it was, how big, and how to get it back. */

import { expect, test } from "bun:test";
import { callOf, headAndTail, placeholder } from "../../src/context/placeholder.ts";
import { isResult, type ResultRow } from "../../src/context/protect.ts";
import { Builder, call, say } from "./build.ts";
import { prose } from "./sessions.ts";

function resultOf(text: string, file?: string): { session: Builder; row: ResultRow } {
  const session = new Builder();
  session.user("Go.");
  session.answer([call("a", "Grep", { pattern: "needle\n  in   a haystack" })]);
  session.result("a", text, { tool: "Grep", ...(file ? { file } : {}) });
  const row = session.view.rows.find(isResult);
  if (!row) throw new Error("no result");
  return { session, row };
}

test("a placeholder names the tool, its argument, the size and the way back", () => {
  const { session, row } = resultOf(prose(4_096));
  const text = placeholder(session.view, row, "snipped");
  for (const part of ["Grep", "needle in a haystack", "4.0 KB", "#e4", "re-read if needed"])
    expect(text).toContain(part);
  expect(text.split("\n")).toHaveLength(1);
});

test("where the whole is in a file, the file is the way back", () => {
  const { session, row } = resultOf(prose(400), "/h/tool-results/1-grep-a.txt");
  expect(placeholder(session.view, row, "cleared")).toContain("/h/tool-results/1-grep-a.txt");
  expect(headAndTail(row, 100)).toContain("/h/tool-results/1-grep-a.txt");
});

test("head and tail begin and end with whole lines, and say what is missing", () => {
  const lines = Array.from({ length: 400 }, (_, n) => `line ${n} of the file`).join("\n");
  const { row } = resultOf(lines);
  const text = headAndTail(row, 2_000);
  expect(text.length).toBeLessThan(2_150);
  expect(text.startsWith("line 0 of the file\n")).toBe(true);
  expect(text.endsWith("\nline 399 of the file")).toBe(true);
  expect(text).toMatch(/\d+ characters cut/);
  for (const line of text.split("\n")) expect(line).toMatch(/^(line \d+ of the file|\[\.\.\. .*)$/);
});

test("no character is cut in half", () => {
  const { row } = resultOf("👩‍🔧".repeat(2_000));
  for (const budget of [101, 102, 103, 104])
    expect(headAndTail(row, budget).isWellFormed()).toBe(true);
});

test("the call that a result answers", () => {
  const { session, row } = resultOf("x");
  expect(callOf(session.view, row.entry)?.name).toBe("Grep");
});

test("a result whose call is gone, or says nothing, is named by its tool alone", () => {
  const { session } = resultOf("x");
  session.answer([call("b", "Look", { deep: { file_path: "/a" } })]);
  session.result("b", "seen", { tool: "Look" });
  session.answer([say("Done.")]);
  const late = session.result("a", "late", { tool: "Grep" });
  if (late.type !== "result") throw new Error("no result");
  expect(callOf(session.view, late)).toBeUndefined();
  const row = session.view.rows.filter(isResult)[1];
  expect(row && placeholder(session.view, row, "cleared")).toStartWith("[Result cleared: Look (");
});
