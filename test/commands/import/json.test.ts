import { expect, test } from "bun:test";
import { cleanLine, parseClean, readCount, readTime } from "../../../src/commands/import/json.ts";

test.each([
  ["2026-05-01T09:00:00.500Z", 1_777_626_000_500],
  [1_777_626_000_500.9, 1_777_626_000_500],
  [8.64e15, 8.64e15],
  [8.64e15 + 2, null],
  [-8.64e15 - 2, null],
  ["yesterday", null],
  [Number.NaN, null],
  [null, null],
])("the time %p is %p", (value, ms) => {
  expect(readTime(value)).toBe(ms);
});

test("a count is found by its key; anything else is zero", () => {
  const read = (input: unknown) => readCount({ input }, "input");
  expect(read(12.7)).toBe(12);
  expect(read(1e10)).toBe(1e10);
  for (const value of [-1, 1e10 + 1, "3", null, Number.NaN]) expect(read(value)).toBe(0);
  expect(readCount({ input: 3 }, "output")).toBe(0);
  expect(readCount(3, "usage")).toBe(0);
});

test("texts and keys are well-formed, and special keys are plain keys", () => {
  const text = '{"__proto__":{"a":"\\ud800"},"b\\ud800":["\\ud83d\\ude00",true,null]}';
  expect(JSON.stringify(parseClean(text))).toBe(
    '{"__proto__":{"a":"\u{fffd}"},"b\u{fffd}":["\u{1f600}",true,null]}',
  );
});

test("a text that is invalid or nested too deep is undefined", () => {
  const nested = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
  expect(parseClean(nested(100))).toBeDefined();
  for (const text of [nested(101), nested(100_000), "{", ""])
    expect(parseClean(text)).toBeUndefined();
});

test("a line of untrusted text is printable and short", () => {
  expect(cleanLine(" a\n\x1b[31mb\x1b]0;title\x07c\u202ed ")).toBe("a b c d");
  expect(cleanLine("x".repeat(80))).toBe("x".repeat(80));
  expect(cleanLine("x".repeat(81))).toBe(`${"x".repeat(79)}…`);
});
