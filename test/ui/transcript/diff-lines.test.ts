import { expect, test } from "bun:test";
import { makeTheme, type Theme } from "../../../src/ui/theme.ts";
import { named as allNamed } from "../markdown/answer.ts";
import { callRows, plainRows } from "./call-rows.ts";

const named: Theme = {
  ...allNamed,
  paint: (role, text) => (role === "dim" ? text : allNamed.paint(role, text)),
};

const edit = { name: "Edit", input: { file_path: "a.ts" } };

const head = "--- a/a.ts\n+++ b/a.ts\n";

/** The rows of an edit below its title. */
const plain = (diff: string, columns = 80): string[] =>
  plainRows(diff, { ...edit, columns }).slice(1);

const styled = (diff: string): string[] =>
  callRows(diff, { ...edit, theme: named })
    .slice(1)
    .map((line) => line.replace(/ +>?$/, ">"));

test("no line comes after the last line break, and empty lines within count", () => {
  expect(plain(`${head}@@ -1,3 +1,3 @@\n-a\n+b\n \n c\n`)).toEqual([
    "     1 │ - a",
    "     1 │ + b",
    "     2 │",
    "     3 │   c",
  ]);
});

test("a removed line that looks like a header is shown and counted", () => {
  const diff = `${head}@@ -1,2 +1,2 @@\n--- drop table\n+++ x\n same`;
  const [title, ...rows] = plainRows(diff, edit);
  expect(title).toEndWith("+1 −1");
  expect(rows).toEqual(["     1 │ - -- drop table", "     1 │ + ++ x", "     2 │   same"]);
});

test("headers of a second file are left out, and gaps between hunks are marked", () => {
  const diff = `${head}@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -3 +3 @@\n-e\n+f\n\\ No newline at end of file`;
  expect(plain(diff)).toEqual([
    "     1 │ - a",
    "     1 │ + b",
    "       ⋮",
    "     9 │ - c",
    "     9 │ + d",
    "       │ diff --git a/b b/b",
    "     3 │ - e",
    "     3 │ + f",
    "       │ \\ No newline at end of file",
  ]);
});

test("changed words are marked in lines that replace each other, unless they share little or are long", () => {
  const marks = (old: string, now: string): string[] =>
    [
      ...styled(`--- a/a\n+++ b/a\n@@ -1 +1 @@\n-${old}\n+${now}`)
        .join("\n")
        .matchAll(/Word ([^>]*)>/g),
    ].map(([, word = ""]) => word);
  expect(marks("function nextTier(used) {", "function nextEvent(used) {")).toEqual([
    "nextTier",
    "nextEvent",
  ]);
  expect(marks(`${" ".repeat(60)}let a;`, "let b;")).toEqual(["a", "b"]);
  expect(marks("return a + b;", "throw new Error();")).toEqual([]);
  expect(marks(`a b ${"x".repeat(496)}`, `a c ${"x".repeat(496)}`)).toEqual(["b", "c"]);
  expect(marks(`a b ${"x".repeat(497)}`, `a c ${"x".repeat(497)}`)).toEqual([]);
});

test("a diff fits any width, and omitted lines are counted", () => {
  const many = Array.from({ length: 30 }, (_, n) => `-old 漢字 ${n}\n+new 漢字 ${n}`).join("\n");
  const diff = `${head}@@ -1,30 +1,30 @@\n${many}`;
  for (const columns of [20, 40, 80])
    for (const line of callRows(diff, { ...edit, columns }))
      if (!line.includes("more lines")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
  expect(plain(diff)).toHaveLength(15);
  expect(plain(diff).at(-1)).toContain("46 more lines");
});

test("code has the colors of its language, the old and the new file each by itself", () => {
  const diff = `${head}@@ -1,4 +1,4 @@\n-/* old\n+let now = 1;\n same\n-end */ let x;\n+let y;`;
  expect(styled(diff)).toEqual([
    "<removed      1 │><removedLine  <removed -> <comment /* old>>",
    "<added      1 │><addedLine  <added +> <keyword let> now = <number 1>;>",
    "     2 │   same",
    "<removed      3 │><removedLine  <removed -> <comment end */> <keyword let> x;>",
    "<added      3 │><addedLine  <added +> <keyword let> y;>",
  ]);
});

test("a hunk that begins inside a comment is a comment", () => {
  const diff = `${head}@@ -1,2 +1,2 @@\n  * why let is here\n-let a;\n+let b;`;
  expect(styled(diff)[0]).toContain("<comment  * why let is here>");
});

test("lines of a file keep their numbers, have the colors of its language, and fit the width", () => {
  const text = "     9\tlet a; /* one\n    10\t\ttwo */ b\n[Lines 9-10 of 40.]";
  const read = { name: "Read", input: { file_path: "a.ts" }, isOpen: true };
  expect(callRows(text, { ...read, theme: named }).slice(2)).toEqual([
    "     9 │ <keyword let> a; <comment /* one>",
    "    10 │ <comment     two */> b",
    "       │ [Lines 9-10 of 40.]",
  ]);
  const wide = `     1\tlet a = "${"漢".repeat(40)}";`;
  const rows = callRows(wide, { ...read, columns: 30, theme: makeTheme("dark") }).slice(2);
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(30);
});

test("a call's command and its file's content are code; what its diff shows is left out", () => {
  const rows = (input: Record<string, unknown>, output = "ok"): string[] =>
    callRows(output, { name: "Some", input: { ...input }, isOpen: true, theme: named }).slice(1);
  expect(rows({ command: "for f in *; do x; done" })[0]).toContain("<keyword for>");
  expect(rows({ file_path: "a.py", content: "def f():\n  pass" })).toEqual([
    "  │ file_path: a.py",
    "  │ content: ",
    "  │ <keyword def> f():",
    "  │   <keyword pass>",
    "  │ ok",
  ]);
  const changed = rows(
    { file_path: "a.py", old_string: "a", edits: "b" },
    `${head}@@ -1 +1 @@\n-a\n+b`,
  );
  expect(changed.filter((row) => row.startsWith("  │"))).toEqual(["  │ file_path: a.py"]);
});

test("an opened call shows 60 lines of its input and 400 of its output", () => {
  const count = (input: string, output: string): number[] => {
    const rows = plainRows(output, { name: "Some", input: { text: input }, isOpen: true });
    return [/^ {2}│ in/, /^ {2}│ out/].map((line) => rows.filter((row) => line.test(row)).length);
  };
  const lines = (word: string, length: number): string =>
    Array.from({ length }, (_, n) => `${word} ${n}`).join("\n");
  expect(count(lines("in", 60), lines("out", 400))).toEqual([59, 400]);
  expect(plainRows(lines("out", 400), { isOpen: true }).at(-1)).toContain("out 399");
  expect(plainRows(lines("out", 401), { isOpen: true }).at(-1)).toContain("1 more line");
});
