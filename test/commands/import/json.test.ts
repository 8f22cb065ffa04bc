import { expect, test } from "bun:test";
import {
  cleanLine,
  cleanRecord,
  readCount,
  jsonText,
  readTime,
} from "../../../src/commands/import/json.ts";

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

test("a count is found by its keys; anything else is zero", () => {
  expect(readCount(12.7)).toBe(12);
  expect(readCount(1e10)).toBe(1e10);
  expect(readCount({ usage: { input: 3 } }, "usage", "input")).toBe(3);
  for (const value of [-1, 1e10 + 1, "3", null, Number.NaN]) expect(readCount(value)).toBe(0);
  expect(readCount(3, "usage")).toBe(0);
});

test("a record is copied with well-formed texts, and special keys are plain keys", () => {
  const value = JSON.parse('{"__proto__":{"a":"\\ud800"},"b\\ud800":[1,true,null]}');
  expect(JSON.stringify(cleanRecord(value))).toBe(
    '{"__proto__":{"a":"\u{fffd}"},"b\u{fffd}":[1,true,null]}',
  );
  expect(cleanRecord({ a: Infinity })).toEqual({ a: null });
});

test("what is nested too deeply becomes the start of its text", () => {
  const nested = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
  const deep = { a: JSON.parse(nested(99)) };
  expect(cleanRecord(deep)).toEqual(deep);
  expect(JSON.stringify(cleanRecord({ a: JSON.parse(nested(100)) }))).toBe(
    `{"a":${"[".repeat(99)}"[1]"${"]".repeat(99)}}`,
  );
  expect(jsonText(undefined)).toBe("");
});

test("a line of untrusted text is printable and short", () => {
  expect(cleanLine(" a\n\x1b[31mb\x1b]0;title\x07c\u202ed ")).toBe("a b c d");
  expect(cleanLine("x".repeat(80))).toBe("x".repeat(80));
  expect(cleanLine("x".repeat(81))).toBe(`${"x".repeat(79)}…`);
});
