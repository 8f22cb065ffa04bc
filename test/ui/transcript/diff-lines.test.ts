import { expect, test } from "bun:test";
import { changedWords, diffLines, diffSize } from "../../../src/ui/transcript/diff-lines.ts";
import { fileLines, inputLines, isNumbered } from "../../../src/ui/transcript/tool-lines.ts";
import { makeTheme, type Role, type Theme } from "../../../src/ui/theme.ts";

const none = { width: 40, theme: makeTheme("none") };

const plain = (diff: string, width = 40, most = 99): string[] =>
  diffLines(diff, { ...none, width }, most).map((line) => Bun.stripANSI(line).trimEnd());

/** A theme that writes roles instead of colors. */
const named: Theme = {
  name: "none",
  colors: 256,
  props: () => ({}),
  paint: (role: Role, text: string) => (role === "dim" ? text : `<${role} ${text}>`),
};

const head = "--- a/a.ts\n+++ b/a.ts\n";

test("a diff has line numbers instead of headers", () => {
  const diff = `Changed a.ts.\n${head}@@ -78,3 +78,4 @@\n x\n-old\n+new\n+more\n y`;
  expect(plain(diff)).toEqual([
    "       │ Changed a.ts.",
    "    78 │   x",
    "    79 │ - old",
    "    79 │ + new",
    "    80 │ + more",
    "    81 │   y",
  ]);
});

test("no line comes after the last line break, and empty lines within count", () => {
  expect(plain(`${head}@@ -1,3 +1,3 @@\n-a\n+b\n \n c\n`)).toEqual([
    "     1 │ - a",
    "     1 │ + b",
    "     2 │",
    "     3 │   c",
  ]);
});

test("a removed line that looks like a header is shown", () => {
  const diff = `${head}@@ -1,2 +1,2 @@\n--- drop table\n+++ x\n same`;
  expect(plain(diff)).toEqual(["     1 │ - -- drop table", "     1 │ + ++ x", "     2 │   same"]);
  expect(diffSize(diff)).toEqual({ added: 1, removed: 1 });
});

test("headers of a second file are left out, and gaps between hunks are marked", () => {
  const diff = `${head}@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\ndiff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -3 +3 @@\n-e\n+f\n\\ No newline at end of file`;
  expect(plain(diff, 60)).toEqual([
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

test("changed words are marked in lines that replace each other", () => {
  const diff = `${head}@@ -1,2 +1,2 @@\n-function nextTier(used: number) {\n+function nextEvent(used: number) {`;
  const marked = diffLines(diff, { ...none, width: 80 }, 99).map((line) =>
    // eslint-disable-next-line no-control-regex -- underlined
    [...line.matchAll(/\x1b\[4m(.*?)\x1b\[24m/g)].map(([, text = ""]) => text),
  );
  expect(marked).toEqual([["nextTier"], ["nextEvent"]]);
});

test("lines that share little, or are long, are not compared", () => {
  expect(changedWords("return a + b;", "throw new Error();")).toBeNull();
  expect(changedWords("x".repeat(600), `${"x".repeat(599)}y`)).toBeNull();
});

test("the parts of both lines add up to the lines", () => {
  const lines = ["const total = items.length;", "const total = items.count() + 1;"] as const;
  const words = changedWords(...lines);
  expect(words?.old.map(({ text }) => text).join("")).toBe(lines[0]);
  expect(words?.now.map(({ text }) => text).join("")).toBe(lines[1]);
});

test("a diff fits any width, and omitted lines are counted", () => {
  const many = Array.from({ length: 30 }, (_, n) => `-old 漢字 ${n}\n+new 漢字 ${n}`).join("\n");
  const diff = `${head}@@ -1,30 +1,30 @@\n${many}`;
  for (const width of [20, 40, 80])
    for (const line of diffLines(diff, { ...none, width }, 10))
      if (!line.includes("more lines")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
  expect(plain(diff, 80, 10).at(-1)).toContain("50 more lines");
});

test("code has the colors of its language, the old and the new file each by itself", () => {
  const diff = `${head}@@ -1,4 +1,4 @@\n-/* old\n+let now = 1;\n same\n-end */ let x;\n+let y;`;
  expect(
    diffLines(diff, { theme: named, width: 60 }, 99).map((line) => line.replace(/ +>?$/, ">")),
  ).toEqual([
    "<removed      1 │><removedLine  <removed -> <comment /* old>>",
    "<added      1 │><addedLine  <added +> <keyword let> now = <number 1>;>",
    "     2 │   same",
    "<removed      3 │><removedLine  <removed -> <comment end */> <keyword let> x;>",
    "<added      3 │><addedLine  <added +> <keyword let> y;>",
  ]);
});

test("a hunk that begins inside a comment is a comment", () => {
  const diff = `${head}@@ -1,2 +1,2 @@\n  * why let is here\n-let a;\n+let b;`;
  expect(diffLines(diff, { theme: named, width: 40 }, 99)[0]).toContain(
    "<comment  * why let is here>",
  );
});

const text = "     9\tlet a; /* one\n    10\t\ttwo */ b\n[Lines 9-10 of 40.]";

test("lines of a file keep their numbers and have the colors of its language", () => {
  expect(isNumbered(text)).toBe(true);
  expect(fileLines(text.split("\n"), "a.ts", { width: 80, theme: named })).toEqual([
    "     9 │ <keyword let> a; <comment /* one>",
    "    10 │ <comment     two */> b",
    "       │ [Lines 9-10 of 40.]",
  ]);
});

test("lines of a file fit the width", () => {
  const lines = fileLines([`     1\tlet a = "${"漢".repeat(40)}";`], "a.ts", {
    width: 30,
    theme: makeTheme("dark"),
  });
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(30);
});

test("a call's command and its file's content are code; what its diff shows is left out", () => {
  const on = { width: 80, theme: named };
  expect(inputLines({ command: "for f in *; do x; done" }, false, on)[0]).toContain(
    "<keyword for>",
  );
  expect(inputLines({ file_path: "a.py", content: "def f():\n  pass" }, false, on)).toEqual([
    "  │ file_path: a.py",
    "  │ content: ",
    "  │ <keyword def> f():",
    "  │   <keyword pass>",
  ]);
  expect(inputLines({ file_path: "a.py", old_string: "a", new_string: "b" }, true, on)).toEqual([
    "  │ file_path: a.py",
  ]);
});
