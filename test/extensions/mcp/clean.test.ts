import { expect, test } from "bun:test";
import { clean, cleanLine, progressLine, toSentence } from "../../../src/extensions/mcp/listing.ts";

test("text is cut, and contains no terminal codes", () => {
  expect(clean("a\x1b[2Jb\nc", 10)).toBe("ab\nc");
  expect(clean("abcdef", 5)).toBe("abcd…");
});

test("a line has no breaks and no space around it", () => {
  expect(cleanLine(" a\n\n b\t", 10)).toBe("a b");
  expect(cleanLine(`${" ".repeat(30)}a`, 10)).toBe("a");
});

test("an error is a sentence", () => {
  expect(toSentence(new Error("no\nsuch tool"))).toBe("no such tool.");
  expect(["Why?", "No!", "No."].map(toSentence)).toEqual(["Why?", "No!", "No."]);
});

test("progress names its end and its message where they are known", () => {
  expect(progressLine({ progress: 3, total: 10, message: "files" })).toBe("3 of 10 files");
  expect(progressLine({ progress: 3 })).toBe("3");
});
