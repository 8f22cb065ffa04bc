import { expect, test } from "bun:test";
import { makeTheme, type Role, type Theme } from "../../../src/ui/theme.ts";
import { fileLines, inputLines, isNumbered } from "../../../src/ui/transcript/tool-lines.ts";

/** A theme that writes roles instead of colors. */
const named: Theme = {
  name: "none",
  colors: 256,
  props: () => ({}),
  paint: (role: Role, text: string) => (role === "dim" ? text : `<${role} ${text}>`),
};

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
