import { expect, test } from "bun:test";
import {
  clean,
  cleanJson,
  cleanLine,
  progressLine,
  toSentence,
} from "../../../src/extensions/mcp/listing.ts";

test("text is cut, and contains no terminal codes", () => {
  expect(clean("a\x1b[2Jb\nc", 10)).toBe("ab\nc");
  expect(clean("abcdef", 5)).toBe("abcd…");
});

test("a line has no breaks and no space around it", () => {
  expect(cleanLine(" a\n\n b\t", 10)).toBe("a b");
  expect(cleanLine(`${" ".repeat(30)}a`, 10)).toBe("a");
});

test("names and texts in JSON are cleaned, other values stay", () => {
  const limits = { chars: 1_000, depth: 9 };
  const value = { "a\x07": ["b\x1b[0m", 1, null, true, { c: "\x9bmd" }] };
  expect(cleanJson(value, limits)).toEqual({ a: ["b", 1, null, true, { c: "d" }] });
});

test("JSON that is too long or too deep is refused", () => {
  const limits = { chars: 9, depth: 2 };
  expect(cleanJson(["12345"], limits)).toEqual(["12345"]);
  expect(cleanJson(["123456"], limits)).toBeNull();
  expect(cleanJson([[1]], limits)).toEqual([[1]]);
  expect(cleanJson([[[]]], limits)).toBeNull();
  expect(cleanJson([1, [[1]]], limits)).toBeNull();
  expect(cleanJson(undefined, limits)).toBeNull();
});

test("an error is a sentence", () => {
  expect(toSentence(new Error("no\nsuch tool"))).toBe("no such tool.");
  expect(["Why?", "No!", "No."].map(toSentence)).toEqual(["Why?", "No!", "No."]);
});

test("progress names its end and its message where they are known", () => {
  expect(progressLine({ progress: 3, total: 10, message: "files" })).toBe("3 of 10 files");
  expect(progressLine({ progress: 3 })).toBe("3");
});
