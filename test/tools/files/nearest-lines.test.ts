import { expect, test } from "bun:test";
import { nearestLines } from "../../../src/tools/files/edit.ts";

const text = "import a\n\nfunction total(items) {\n  return sum(items);\n}\n\nfunction mean() {}";

test.each([
  ["function totals(item) {", " The closest text is at line 3:\nfunction total(items) {"],
  [
    "\nfunction total(items) {\n  return sum(items)\n}",
    " The closest text is at line 3:\nfunction total(items) {\n  return sum(items);\n}\n",
  ],
  [
    "function mean(){}",
    " It differs only in whitespace. The closest text is at line 7:\nfunction mean() {}",
  ],
  [
    "    return sum(items);",
    " It differs only in whitespace. The closest text is at line 4:\n  return sum(items);",
  ],
  ["something else entirely", " No line is similar; read the file again."],
  ["  \n ", ""],
])("%j", (wanted, sentence) => {
  expect(nearestLines(text, wanted)).toBe(sentence);
});

test("the first of equally close lines is named, and an identical one at once", () => {
  expect(nearestLines("ab1\nab2\nab3", "abx")).toContain("line 1");
  expect(nearestLines("abcd1\nabcd2\nabcde", "abcde")).toContain("line 3");
});

test("at most twelve lines are shown, and no more than twenty thousand compared", () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}`);
  const many = lines.slice(100, 130).join("\n");
  expect(nearestLines(lines.join("\n"), many).split("\n")).toHaveLength(13);
  expect(nearestLines([...lines, "one more"].join("\n"), "line 5")).toBe("");
});
