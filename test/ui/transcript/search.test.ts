import { expect, test } from "bun:test";
import fc from "../../properties.ts";
import { makeTheme } from "../../../src/ui/theme.ts";
import { patternFor } from "../../../src/ui/transcript/transcript-search.ts";
import { findLine, markMatches } from "../../../src/ui/transcript/viewport.ts";
import { codeBlocks } from "../../../src/ui/items.ts";

const theme = makeTheme("dark");

test("highlighting keeps letters and width", () => {
  const line = fc
    .array(fc.constantFrom("ab", "漢字", theme.paint("code", "abc"), "👩‍👩‍👧", " ", "AB", "e\u0301"))
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(line, fc.constantFrom("a", "b", "ab", "漢", "x", "."), (text, needle) => {
      const marked = markMatches(text, patternFor(needle), theme);
      expect(Bun.stripANSI(marked)).toBe(Bun.stripANSI(text));
    }),
  );
});

test("highlights every match in any case, even inside other styles", () => {
  const line = `say ${theme.paint("code", "Hello hello")}!`;
  const marked = markMatches(line, patternFor("hello"), theme);
  expect(marked.split(theme.paint("match", "Hello"))).toHaveLength(2);
  expect(marked.split(theme.paint("match", "hello"))).toHaveLength(2);
});

test("the search is literal", () => {
  expect("a.b axb".match(patternFor("a.b"))).toEqual(["a.b"]);
});

test("finds the nearest line in the direction of the search", () => {
  const lines = ["x", theme.paint("code", "needle"), "x", "needle"];
  expect(findLine(lines, 3, -1, patternFor("needle"))).toBe(3);
  expect(findLine(lines, 2, -1, patternFor("needle"))).toBe(1);
  expect(findLine(lines, 2, 1, patternFor("needle"))).toBe(3);
  expect(findLine(lines, 0, -1, patternFor("needle"))).toBeNull();
});

test("code blocks without their fences", () => {
  expect(codeBlocks("a\n```ts\nconst a = 1;\n```\nb\n~~~\n```\n~~~\n")).toEqual([
    "const a = 1;\n",
    "```\n",
  ]);
});
