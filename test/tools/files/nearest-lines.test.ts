import { afterAll, expect, test } from "bun:test";
import { leave, room } from "../room.ts";

afterAll(leave);

/** What an edit of a text says that does not contain the old one. */
async function nearestLines(text: string, old_string: string): Promise<string> {
  const at = await room();
  at.put("a.ts", text);
  return at.say("Edit", { file_path: "a.ts", old_string, new_string: "x" });
}

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
])("%j", async (wanted, sentence) => {
  expect(await nearestLines(text, wanted)).toContain(sentence);
});

test("the first of equally close lines is named, and an identical one at once", async () => {
  expect(await nearestLines("ab1\nab2\nab3", "abx")).toContain("line 1");
  expect(await nearestLines("abcd1\nabcd2\nabcde", "abcde")).toContain("line 3");
});

test("at most twelve lines are shown, and no more than twenty thousand compared", async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}`);
  const many = lines.slice(100, 130).join(" \n");
  expect((await nearestLines(lines.join("\n"), many)).split("\n").slice(-12)[0]).toBe("line 100");
  expect(await nearestLines([...lines, "one more"].join("\n"), "line 5x")).not.toContain("closest");
});
