import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLines } from "../../src/log/read.ts";
import { testFolder } from "./folder.ts";

const file = join(testFolder(), "lines");
const chunk = 4 * 1024 * 1024;

function splitLines(text: string): string[] {
  writeFileSync(file, text);
  return Array.from(readLines(file), (line) => line.toString("utf8"));
}

test.each([
  ["", []],
  ["a", ["a"]],
  ["\n\n", ["\n", "\n"]],
  ["a\n", ["a\n"]],
  ["a\nb", ["a\n", "b"]],
  ["é\nü\n", ["é\n", "ü\n"]],
  ["a\r\nb\n", ["a\r\n", "b\n"]],
])("%j", (text, lines) => {
  expect(splitLines(text)).toEqual(lines);
});

test.each([chunk - 2, chunk - 1, chunk, chunk + 1, 2 * chunk + 5])(
  "a line of %d bytes, and what follows it, is read whole",
  (length) => {
    const long = "x".repeat(length);
    const text = `${long}\nb\n${"é".repeat(10)}\n${long}\nrest`;
    const lines = splitLines(text);
    expect(lines.map((line) => line.length)).toEqual([length + 1, 2, 11, length + 1, 4]);
    expect(lines.join("")).toBe(text);
  },
);

test("the file is closed, even when its lines are not all read", () => {
  const openFiles = () => readdirSync("/dev/fd").length;
  splitLines("a\nb\n");
  const before = openFiles();
  splitLines("a\nb\n");
  for (const line of readLines(file)) if (line.length > 0) break;
  expect(openFiles()).toBe(before);
});
