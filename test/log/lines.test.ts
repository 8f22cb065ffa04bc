import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachLine } from "../../src/log/read.ts";
import { testFolder } from "./folder.ts";

const file = join(testFolder(), "lines");
const chunk = 4 * 1024 * 1024;

function linesOf(text: string): { lines: string[]; bytes: number; rest: string } {
  writeFileSync(file, text);
  const lines: string[] = [];
  let bytes = 0;
  const rest = eachLine(file, (line) => {
    lines.push(line.toString("utf8"));
    bytes += line.length + 1;
  });
  return { lines, bytes, rest: rest.toString("utf8") };
}

test.each(["", "a", "\n", "\n\n", "a\n", "a\nb", "é\nü\n", "a\r\nb\n"])("%j", (text) => {
  const expected = text.split("\n");
  const rest = expected.pop() ?? "";
  const complete = Buffer.byteLength(text) - Buffer.byteLength(rest);
  expect(linesOf(text)).toEqual({ lines: expected, bytes: complete, rest });
});

test.each([chunk - 2, chunk - 1, chunk, chunk + 1, 2 * chunk + 5])(
  "a line of %d bytes, and what follows it, is read whole",
  (length) => {
    const long = "x".repeat(length);
    const text = `${long}\nb\n${"é".repeat(10)}\n${long}\nrest`;
    const { lines, bytes, rest } = linesOf(text);
    expect(lines.map((line) => line.length)).toEqual([length, 1, 10, length]);
    expect(lines[2]).toBe("é".repeat(10));
    expect([bytes, rest]).toEqual([Buffer.byteLength(text) - 4, "rest"]);
  },
);

test("the file is closed, even when a line throws", () => {
  const openFiles = () => readdirSync("/dev/fd").length;
  linesOf("a\nb\n");
  const before = openFiles();
  linesOf("a\nb\n");
  expect(() =>
    eachLine(file, () => {
      throw new Error("stop");
    }),
  ).toThrow("stop");
  expect(openFiles()).toBe(before);
});
